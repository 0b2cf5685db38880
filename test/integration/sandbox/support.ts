import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createSandbox, type Json, PiProcess, type Sandbox, type SandboxOptions } from '../../support/pi-process.js';

export interface ProbeOptions {
  level?: 'restricted' | 'isolated' | 'trusted';
  grants?: string[];
  limits?: object;
  /** Name -> body of an async function of `pi`, `ctx` and `import`; what it returns is the probe's answer. */
  probes: Record<string, string>;
  /** More of the factory. */
  factory?: string;
  /** Before everything in the file. */
  head?: string;
  env?: NodeJS.ProcessEnv;
  settings?: object;
  providers?: object;
  files?: SandboxOptions['files'];
  /** More extensions: name -> source. They are trusted. */
  others?: Record<string, string>;
  args?: string[];
  /** Other program than the one of this checkout's Node. */
  node?: string;
}

/** The program with one extension that tries things. */
export class Probing {
  readonly sandbox: Sandbox;
  readonly pi: PiProcess;
  /** Of the extension, with links resolved. */
  readonly file: string;
  readonly extensionFolder: string;
  readonly #command: string;

  constructor(options: ProbeOptions) {
    const { level = 'restricted', grants = ['ui', 'commands'], limits, probes, factory = '', head = '', others = {} } = options;
    this.sandbox = createSandbox({
      ...(options.files && { files: options.files }),
      ...(options.providers && { providers: options.providers }),
    });
    const { root, agentDir } = this.sandbox;
    this.extensionFolder = path.join(realpathSync(root), 'extensions');
    mkdirSync(this.extensionFolder);
    this.file = path.join(this.extensionFolder, 'probe.ts');
    this.#command = 'probe';
    const list = Object.entries(probes).map(
      ([name, body]) => `${JSON.stringify(name)}: async (pi: any, ctx: any) => { ${body} },`,
    );
    writeFileSync(
      this.file,
      `${head}
const probes: Record<string, (pi: any, ctx: any) => Promise<unknown>> = {
  ${list.join('\n  ')}
};
export default async (pi: any) => {
  ${factory}
  pi.registerCommand('probe', {
    description: 'tries something',
    handler: async (name: string, ctx: any) => {
      let answer: unknown;
      try {
        answer = { value: (await probes[name](pi, ctx)) ?? null };
      } catch (error: any) {
        answer = { error: error?.code ?? error?.cause?.code ?? error?.name, message: String(error?.message) };
      }
      ctx.ui.notify('PROBE ' + JSON.stringify(answer));
    },
  });
};
`,
    );
    const more = Object.entries(others).map(([name, source]) => {
      const file = path.join(this.extensionFolder, `${name}.ts`);
      writeFileSync(file, source);
      return ['-e', file];
    });
    const override = level === 'trusted' ? level : { level, grants, ...(limits && { limits }) };
    const settings = { extensionTrust: { overrides: { [this.file]: override } }, ...options.settings };
    writeFileSync(path.join(agentDir, 'settings.json'), JSON.stringify(settings));
    this.pi = new PiProcess(
      this.sandbox,
      ['--mode', 'rpc', '--no-session', '-e', this.file, ...more.flat(), ...(options.args ?? [])],
      options.env,
      options.node === undefined ? undefined : [options.node, path.resolve('dist/cli.js')],
    );
  }

  /** What the probe returned, or `{error, message}` of what it threw. */
  async try(name: string): Promise<Json> {
    const from = this.pi.records.length;
    this.pi.send({ type: 'prompt', message: `/${this.#command} ${name}` });
    const notice = await this.pi.find((one) => one.method === 'notify' && one.message.startsWith('PROBE '), from);
    const answer = JSON.parse(notice.message.slice('PROBE '.length));
    return 'value' in answer ? answer.value : answer;
  }

  async info(name = 'probe'): Promise<Json> {
    const { data } = await this.pi.request({ type: 'get_extensions' });
    return data.extensions.find((one: Json) => one.name === name);
  }

  async dispose(): Promise<void> {
    this.pi.kill();
    await this.pi.exited;
    this.sandbox.remove();
  }
}
