import { type ChildProcessByStdio, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll } from 'vitest';

/** A folder for the file's tests, and the program `<name>.ts` beside them, built into it. Both gone afterwards. */
export function useProgram(name: string): { dir: string; program: string } {
  const place = { dir: '', program: '' };
  beforeAll(() => {
    place.dir = fs.mkdtempSync(path.join(os.tmpdir(), `pi-${name}-`));
    place.program = path.join(place.dir, `${name}.mjs`);
    buildSync({
      entryPoints: [fileURLToPath(new URL(`${name}.ts`, import.meta.url))],
      outfile: place.program,
      bundle: true,
      platform: 'node',
      format: 'esm',
    });
  });
  afterAll(() => fs.rmSync(place.dir, { recursive: true, force: true }));
  return place;
}

/** A program that answers each line with a line. */
export class Answering {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  readonly closed: Promise<void>;
  #lines: string[] = [];
  #rest = '';
  #wake: () => void = () => undefined;
  #ended = false;

  constructor(program: string, identity: { uid?: number; gid?: number } = {}) {
    this.child = spawn(process.execPath, [program], { stdio: ['pipe', 'pipe', 'inherit'], ...identity });
    this.child.stdin.on('error', () => undefined);
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() ?? '';
      this.#lines.push(...lines);
      this.#wake();
    });
    this.closed = new Promise((resolve) =>
      this.child.once('close', () => {
        this.#ended = true;
        this.#wake();
        resolve();
      }),
    );
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  async ask(...words: (string | number)[]): Promise<string> {
    this.child.stdin.write(`${words.join('\t')}\n`);
    return this.next();
  }

  async next(): Promise<string> {
    for (;;) {
      const line = this.#lines.shift();
      if (line !== undefined) return line;
      if (this.#ended) throw new Error('the program has ended');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

export async function startProgram(program: string, identity?: { uid?: number; gid?: number }): Promise<Answering> {
  const started = new Answering(program, identity);
  await started.next();
  return started;
}
