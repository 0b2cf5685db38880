import { defaultTheme } from '../theme.js';
import { DynamicBorder } from './frame-components.js';
import { Container, Input, Key, matchesKey, Text, type TUI } from './tui.js';

/** Leads through a login: shows where to go, and takes what is pasted. Escape ends it. */
export class LoginDialogComponent extends Container {
  focused = true;
  readonly #tui: Pick<TUI, 'requestRender'>;
  readonly #onComplete: (success: boolean, message?: string) => void;
  readonly #controller = new AbortController();
  readonly #content = new Container();
  #input: Input | undefined;
  #refuse: ((reason: Error) => void) | undefined;

  constructor(
    tui: Pick<TUI, 'requestRender'>,
    providerId: string,
    onComplete: (success: boolean, message?: string) => void,
    providerName: string = providerId,
    title = `Login to ${providerName}`,
  ) {
    super();
    this.#tui = tui;
    this.#onComplete = onComplete;
    const theme = defaultTheme();
    this.addChild(new DynamicBorder());
    this.addChild(new Text(theme.fg('accent', theme.bold(title)), 1, 0));
    this.addChild(this.#content);
    this.addChild(new DynamicBorder());
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  showAuth(url: string, instructions?: string): void {
    this.#say(url, ...(instructions === undefined ? [] : [instructions]));
  }

  showDeviceCode({ userCode, verificationUri }: { userCode: string; verificationUri: string }): void {
    this.#say(verificationUri, `Code: ${userCode}`);
  }

  showManualInput(prompt: string): Promise<string> {
    return this.#ask(prompt);
  }

  showPrompt(message: string, placeholder?: string): Promise<string> {
    return this.#ask(placeholder === undefined ? message : `${message} (${placeholder})`);
  }

  showDetails(lines: readonly string[]): void {
    this.#say(...lines);
  }

  showInfo(message: string): void {
    this.#say(message);
  }

  showWaiting(message: string): void {
    this.#say(message);
  }

  showProgress(message: string): void {
    this.#say(message);
  }

  handleInput(data: string): void {
    if (!matchesKey(data, Key.escape) && !matchesKey(data, Key.ctrl('c'))) {
      this.#input?.handleInput(data);
      return;
    }
    const cancelled = new Error('Login cancelled');
    this.#controller.abort(cancelled);
    this.#refuse?.(cancelled);
    this.#onComplete(false, cancelled.message);
  }

  #say(...lines: string[]): void {
    for (const line of lines) this.#content.addChild(new Text(line, 1, 0));
    this.#tui.requestRender();
  }

  #ask(prompt: string): Promise<string> {
    this.#say(prompt);
    const input = new Input();
    this.#input = input;
    this.#content.addChild(input);
    return new Promise((resolve, reject) => {
      this.#refuse = reject;
      input.onSubmit = (value) => {
        this.#content.removeChild(input);
        this.#input = undefined;
        resolve(value);
      };
    });
  }
}
