import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A working directory and an agent directory of a test's own, with one model of a service at `url`. */
export interface Place extends Disposable {
  cwd: string;
  agentDir: string;
}

const KEYS = ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY', 'PI_CODING_AGENT_DIR'];

export function makePlace(url = 'http://127.0.0.1:9'): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pi-place-')));
  const [cwd, agentDir] = [join(root, 'project'), join(root, 'agent')];
  for (const dir of [cwd, agentDir]) mkdirSync(dir);
  const model = { id: 'm', name: 'Fake model', reasoning: true, contextWindow: 100_000, maxTokens: 1000 };
  const fake = { baseUrl: `${url}/v1`, api: 'openai-completions', apiKey: 'fake-key', models: [model, { id: 'other' }] };
  const keyless = { baseUrl: url, api: 'openai-completions', apiKey: '$NOT_SET_ANYWHERE', models: [{ id: 'locked' }] };
  writeFileSync(join(agentDir, 'models.json'), JSON.stringify({ providers: { fake, keyless } }));
  const before = new Map(KEYS.map((key) => [key, process.env[key]]));
  for (const key of KEYS) delete process.env[key];
  process.env.PI_CODING_AGENT_DIR = agentDir;
  return {
    cwd,
    agentDir,
    [Symbol.dispose]() {
      for (const [key, value] of before) {
        if (value === undefined) delete process.env[key];
        else process.env[key] = value;
      }
      rmSync(root, { recursive: true, force: true });
    },
  };
}
