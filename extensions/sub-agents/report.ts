import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { TaskState } from './task-state.js';

/** What the model gets of all tasks together, in bytes; a long answer is in a file. */
const MAX_BYTES = 48 * 1024;
/** What the session keeps of one task. */
const MAX_DETAIL_BYTES = 256 * 1024;

/** The text for the model. Cuts long answers, and says in which file below `folder` the whole of one is. */
export async function report(tasks: readonly TaskState[], folder: () => Promise<string>): Promise<string> {
  const share = Math.floor(MAX_BYTES / tasks.length);
  const sections: string[] = [];
  for (const [at, task] of tasks.entries()) {
    const text = await bounded(task, at, share, folder);
    sections.push(tasks.length === 1 && task.state === 'done' ? text : `${heading(task, at, tasks.length)}\n\n${text}`);
    task.answer = cut(task.answer, MAX_DETAIL_BYTES);
  }
  return sections.join('\n\n');
}

function heading({ agent, state }: TaskState, at: number, count: number): string {
  return `## ${count > 1 ? `${at + 1}. ` : ''}The sub-agent "${agent}": ${state === 'waiting' ? 'not started' : state}`;
}

async function bounded(task: TaskState, at: number, maxBytes: number, folder: () => Promise<string>): Promise<string> {
  const { agent, state, error, stderr, answer } = task;
  if (state === 'waiting') return 'A step before it failed.';
  const problem =
    state === 'failed' ? [`The sub-agent "${agent}" failed: ${error}`, stderr && `The end of its stderr:\n${stderr}`] : [];
  const parts = [...problem, state === 'failed' && answer !== '' ? `Its last words:\n${answer}` : answer];
  const text = parts.filter(Boolean).join('\n\n') || 'It said nothing.';
  if (Buffer.byteLength(text) <= maxBytes) return text;
  task.file = path.join(await folder(), `${at + 1}-${agent}.md`);
  await writeFile(task.file, text, { mode: 0o600 });
  return `${cut(text, maxBytes)}\n\n[Cut: ${Buffer.byteLength(text)} bytes in all. The whole answer is in ${task.file}]`;
}

/** The beginning, in whole characters. */
function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  // A byte that continues a character begins with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end).toString('utf8');
}
