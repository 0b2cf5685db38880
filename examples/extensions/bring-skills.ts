// Brings a skill with it, written to a folder of its own when the session starts.
// Try: pi -e examples/extensions/bring-skills.ts --provider offline -p "/skill:haiku about rain"
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { ExtensionAPI } from '@earendil-works/pi-coding-agent';

const SKILL = `---
name: haiku
description: Writes a haiku. Use when the user asks for one.
---
Write one haiku: three lines of five, seven and five syllables.
`;

export default function (pi: ExtensionAPI) {
  pi.on('resources_discover', () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'skills-'));
    mkdirSync(path.join(folder, 'haiku'));
    writeFileSync(path.join(folder, 'haiku', 'SKILL.md'), SKILL);
    return { skillPaths: [folder] };
  });
}
