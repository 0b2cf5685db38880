import type { Acceptance, Agent } from '../../agent/agent.js';
import type { QueueKind } from '../../agent/message-queues.js';
import type { Extensions } from '../../extension-host/host/extensions.js';
import { toUserMessage } from '../../modes/user-message.js';
import type { ImageContent, UserContent } from '../../protocol/content.js';
import type { Attachment } from '../../protocol/messages.js';

export interface PromptText {
  message: string;
  images?: ImageContent[] | undefined;
  attachments?: Attachment[] | undefined;
}

export interface PromptingOptions {
  agent: Agent;
  /** Undefined where there are none. */
  extensions: () => Extensions | undefined;
  /** Replaces `/skill:name` and `/template`. */
  expand: (text: string) => Promise<string>;
  beforePrompt: () => Promise<void>;
  onCommandFailed: (path: string, name: string, error: unknown) => void;
}

export type Submission = Omit<Acceptance, 'disposition'> & { disposition: Acceptance['disposition'] | 'handled' };

type Source = 'rpc' | 'interactive' | 'extension';

/**
 * What becomes of a text: a slash command of an extension runs; else extensions see it as it was typed and may change or answer it; then
 * skills and templates are put in, and the agent gets it. Source: extensions document, "input"; FACTS, events.
 */
export class Prompting {
  readonly #options: PromptingOptions;

  constructor(options: PromptingOptions) {
    this.#options = options;
  }

  /** Whether the text may take as long as an extension does: others need not wait for it. */
  mayTakeTime(text: string): boolean {
    const extensions = this.#options.extensions();
    return extensions !== undefined && (extensions.listens('input') || this.#commandOf(text) !== undefined);
  }

  async prompt(given: PromptText, source: Source, whileRunning?: QueueKind): Promise<Submission> {
    const command = this.#commandOf(given.message);
    if (command) {
      await command.run();
      return { disposition: 'handled' };
    }
    const text = await this.#heard(given, source, whileRunning);
    if (!text) return { disposition: 'handled' };
    if (this.#options.extensions()) await this.#options.beforePrompt();
    return this.#options.agent.prompt(await this.#message(text), whileRunning);
  }

  /** Queues a text. Commands of extensions are refused: they would have to run now. */
  async queue(given: PromptText, kind: QueueKind): Promise<Submission> {
    if (this.#commandOf(given.message)) {
      const [name] = given.message.split(/\s/, 1);
      throw new Error(`The command ${name} of an extension can't be queued. Use prompt to run it`);
    }
    const text = await this.#heard(given, 'rpc', kind);
    if (!text) return { disposition: 'handled' };
    return this.#options.agent.queue(kind, await this.#message(text));
  }

  /**
   * What an extension lets the user say, as it is written: nothing is put in for templates. A command of an extension runs, as a follow-up
   * when the agent has stopped. Source: extensions document, `sendUserMessage` and its reload example.
   */
  async sendUser(content: string | UserContent[], deliverAs: 'steer' | 'followUp' | undefined): Promise<void> {
    const { agent } = this.#options;
    const command = typeof content === 'string' ? this.#commandOf(content) : undefined;
    if (command) {
      if (deliverAs === 'followUp') await agent.whenIdle();
      await command.run();
      return;
    }
    const blocks: UserContent[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    // One text, then the images: what `input` handlers see is what is said.
    const message = blocks.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    const images = blocks.filter((part) => part.type === 'image');
    const kind = deliverAs && (deliverAs === 'steer' ? 'steering' : 'followUp');
    const given: PromptText = { message, ...(images.length > 0 && { images }) };
    const text = await this.#heard(given, 'extension', kind);
    if (!text) return;
    const { message: said, images: shown = [] } = text;
    await agent.sendUserMessage([...(said === '' && shown.length > 0 ? [] : [{ type: 'text' as const, text: said }]), ...shown], {
      deliverAs,
    });
  }

  async #message(text: PromptText) {
    return toUserMessage({ ...text, message: await this.#options.expand(text.message) }, Date.now());
  }

  /** What `input` handlers made of the text; undefined when one has dealt with it. */
  async #heard(given: PromptText, source: Source, kind: QueueKind | undefined): Promise<PromptText | undefined> {
    const asked = this.#options.extensions()?.hook({
      type: 'input',
      text: given.message,
      ...(given.images && { images: given.images }),
      source,
      ...(kind && { streamingBehavior: kind === 'steering' ? 'steer' : 'followUp' }),
    });
    if (!asked) return given;
    const { event, outcome } = await asked;
    if (outcome.handled === true) return undefined;
    return {
      ...given,
      message: typeof event.text === 'string' ? event.text : given.message,
      ...(Array.isArray(event.images) && { images: event.images as ImageContent[] }),
    };
  }

  #commandOf(text: string): { run: () => Promise<void> } | undefined {
    const match = /^\/(\S+)(?:\s([\s\S]*))?$/.exec(text);
    const extensions = this.#options.extensions();
    const command = match && extensions?.commands().find(({ invocation }) => invocation === match[1]);
    if (!extensions || !command) return undefined;
    return {
      run: async () => {
        try {
          await extensions.runCommand(command, match[2] ?? '');
        } catch (error) {
          this.#options.onCommandFailed(command.record.spec.path, command.invocation, error);
        }
      },
    };
  }
}
