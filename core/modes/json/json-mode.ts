import type { Agent } from '../../agent/agent.js';
import type { SessionHeader } from '../../protocol/entries.js';
import type { RecordOutput } from '../output/transport.js';
import type { Submit } from '../submit.js';

/**
 * The header, then every event of each prompt in turn. The agent's events must already go to `output`.
 * Source: json-mode document.
 */
export async function runJson(
  agent: Agent,
  header: SessionHeader,
  prompts: readonly Submit[],
  output: RecordOutput,
): Promise<void> {
  output.send(header);
  for (const prompt of prompts) {
    const { begin } = await prompt();
    begin?.();
    await agent.whenIdle();
  }
  await output.flushed();
}
