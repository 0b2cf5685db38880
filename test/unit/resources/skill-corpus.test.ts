import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ResourceFile } from '../../../core/resources/resource-files.js';
import { readSkill, skillMessage, skillsSection } from '../../../core/resources/skills.js';
import { ODDITIES, type Oddity } from './skill-corpus.js';
import { tempDir } from './temp-dir.js';

const origin: ResourceFile['origin'] = {
  location: 'user',
  scope: 'user',
  origin: 'top-level',
  source: 'local',
  baseDir: '/',
};

async function read(text: Oddity['text']) {
  const path = join(tempDir({ 'odd/SKILL.md': text }), 'odd/SKILL.md');
  return { path, ...(await readSkill({ path, origin })) };
}

describe('a corpus of odd skill files', () => {
  it('G20: has at least 60 of them', () => {
    expect(new Set(ODDITIES.map(({ what }) => what)).size).toBeGreaterThanOrEqual(60);
  });

  it.each(ODDITIES)('G20: $what', async ({ text, skill, problems = [] }) => {
    const found = await read(text);
    expect(found.diagnostics).toEqual(
      problems.map(([severity, line, says]) => ({
        kind: 'skill',
        severity,
        path: found.path,
        line,
        message: expect.stringContaining(says),
      })),
    );
    if (!skill) {
      expect(found.skill).toBeUndefined();
      expect(problems.some(([severity]) => severity === 'error')).toBe(true);
      return;
    }
    const { name = 'odd', description, hidden = false, body } = skill;
    expect(found.skill).toEqual({ name, description, path: found.path, origin, disableModelInvocation: hidden });
    if (!found.skill || body === undefined) return;
    const message = await skillMessage(found.skill, '', () => undefined);
    expect(message).toMatch(/^<skill name="[^"<>]*" location="[^"<>]*">\nPaths in this skill count from \S+\n\n/);
    expect(message?.split('\n\n').slice(1).join('\n\n')).toBe(`${body}\n</skill>`);
  });

  it('G20: never makes the list for the model anything but well-formed', async () => {
    const skills = (await Promise.all(ODDITIES.map(({ text }) => read(text)))).flatMap(({ skill }) => skill ?? []);
    const section = skillsSection(skills);
    const offered = skills.filter((skill) => !skill.disableModelInvocation);
    expect(section.match(/<skill>/g)).toHaveLength(offered.length);
    // Without the tags that belong there, no angle bracket is left.
    expect(section.replace(/<\/?(?:available_skills|skill|name|description|location)>/g, '')).not.toMatch(/[<>]/);
  });
});

it('G20: front matter in JavaScript is not run, in whatever words it is announced', async () => {
  const marker = `piRan${process.pid}`;
  for (const word of ['js', 'javascript', 'JS', ' js ', 'jsx', 'node', 'coffee', 'cson']) {
    const run = `(globalThis["${marker}"] = true, { description: "ran" })`;
    const { skill, diagnostics } = await read(`---${word}\n${run}\n---\n`);
    expect(skill).toBeUndefined();
    expect(diagnostics).toEqual([expect.objectContaining({ severity: 'error', line: 1 })]);
  }
  expect(Reflect.get(globalThis, marker)).toBeUndefined();
});
