import { type FakeLlm, startFakeLlm } from '../../support/fake-llm/server.js';
import { createSandbox, fakeProviders, type Json, PiProcess, type Sandbox } from '../../support/pi-process.js';

/** A bundled extension turned on in the settings, in the real program, with a scripted model. */
export class BundledWorld {
  readonly sandbox: Sandbox;
  readonly llm: FakeLlm;
  #calls = 0;
  readonly #started: PiProcess[] = [];

  private constructor(llm: FakeLlm, names: readonly string[], files: Record<string, string>) {
    this.llm = llm;
    const settings = { extensions: names.map((name) => `builtin:${name}`) };
    this.sandbox = createSandbox({ providers: fakeProviders(llm.url), settings, files });
  }

  static async create(names: readonly string[], files: Record<string, string> = {}): Promise<BundledWorld> {
    return new BundledWorld(await startFakeLlm(), names, files);
  }

  start(...args: string[]): PiProcess {
    const pi = new PiProcess(this.sandbox, ['--mode', 'rpc', '--provider', 'fake', '--model', 'plain', ...args]);
    this.#started.push(pi);
    return pi;
  }

  /** Lets the model make one call, and gives its end once the run has settled. */
  async call(pi: PiProcess, name: string, args: object): Promise<Json> {
    this.#calls += 1;
    this.llm.push({ toolCalls: [{ id: `call_${this.#calls}`, name, args }] }, { text: 'Done.' });
    const events = await pi.prompt(`call ${this.#calls}`);
    return events.find(({ type }) => type === 'tool_execution_end');
  }

  /** Runs a slash command, and gives the notice it shows. */
  async says(pi: PiProcess, command: string): Promise<string> {
    const from = pi.records.length;
    await pi.request({ type: 'prompt', message: command });
    return (await pi.find(({ method }) => method === 'notify', from)).message;
  }

  /** Answers the next dialog from index `from` on; gives its request. */
  async answer(pi: PiProcess, value: string | undefined, from: number): Promise<Json> {
    const dialog = await pi.find(
      ({ type, method }) => type === 'extension_ui_request' && /^(?:select|confirm|input|editor)$/.test(method),
      from,
    );
    pi.send({ type: 'extension_ui_response', id: dialog.id, ...(value === undefined ? { cancelled: true } : { value }) });
    return dialog;
  }

  async remove(): Promise<void> {
    await Promise.all(this.#started.map((pi) => pi.end()));
    this.sandbox.remove();
    await this.llm[Symbol.asyncDispose]();
  }
}

export const textOf = (end: Json): string => end.result.content.map(({ text = '' }: Json) => text).join('\n');
