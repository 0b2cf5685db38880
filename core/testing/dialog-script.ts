export type DialogMethod = 'select' | 'confirm' | 'input' | 'editor';

/**
 * What the next dialog is answered with. `true` or `false` for a `confirm`, a text for the others, `null` dismisses any. An object names the
 * dialog it is for, by its method and its title, and may leave it open.
 */
export type DialogAnswer =
  | string
  | boolean
  | null
  | {
      method?: DialogMethod;
      title?: string | RegExp;
      answer?: string | boolean | null;
      /** Nobody answers: it stays open until its time is over, its extension withdraws it, or the test calls `answer`. */
      unanswered?: true;
    };

/** A dialog an extension opened. */
export interface SeenDialog {
  id: string;
  method: DialogMethod;
  title: string;
  /** Of a `confirm`. */
  message?: string;
  /** Of a `select`. */
  options?: string[];
  placeholder?: string;
  prefill?: string;
  /** Milliseconds it waits for an answer. */
  timeout?: number;
  /** The name of the extension. */
  extension: string;
  /** What it was answered with; `null` when it was dismissed or withdrawn, undefined while it is open. */
  answer: string | boolean | null | undefined;
  /** False when no answer of the script was for it: it was dismissed. */
  scripted: boolean;
}

export type UiFields = { id: string } & Record<string, unknown>;

const METHODS: ReadonlySet<string> = new Set(['select', 'confirm', 'input', 'editor']);
export const isDialog = ({ method }: UiFields): boolean => METHODS.has(String(method));

/** Answers dialogs from a list: each takes the first answer left that fits it. */
export class DialogScript {
  readonly seen: SeenDialog[] = [];
  /** An answer that its dialog can't have: the dialog was dismissed. */
  problem: Error | undefined;
  readonly #answers: DialogAnswer[];
  readonly #respond: (response: { id: string } & Record<string, unknown>) => void;

  constructor(answers: readonly DialogAnswer[], respond: (response: { id: string } & Record<string, unknown>) => void) {
    this.#answers = [...answers];
    this.#respond = respond;
  }

  push(...answers: readonly DialogAnswer[]): void {
    this.#answers.push(...answers);
  }

  opened({ id, method, title, extension, message, options, placeholder, prefill, timeout }: UiFields): void {
    const dialog: SeenDialog = {
      id,
      // Only dialogs come here.
      method: method as DialogMethod,
      title: String(title ?? ''),
      ...(typeof message === 'string' && { message }),
      ...(Array.isArray(options) && { options: options.map(String) }),
      ...(typeof placeholder === 'string' && { placeholder }),
      ...(typeof prefill === 'string' && { prefill }),
      ...(typeof timeout === 'number' && { timeout }),
      extension: (extension as { name?: string } | undefined)?.name ?? '',
      answer: undefined,
      scripted: false,
    };
    this.seen.push(dialog);
    const at = this.#answers.findIndex((answer) => fits(answer, dialog));
    const [answer] = at < 0 ? [] : this.#answers.splice(at, 1);
    dialog.scripted = at >= 0;
    if (typeof answer === 'object' && answer !== null) {
      if (answer.unanswered !== true) this.#answerOrDismiss(dialog, answer.answer ?? null);
    } else this.answer(id, answer ?? null);
  }

  /** Answers one that is open. Throws when it is not. */
  answer(id: string, answer: string | boolean | null): void {
    const dialog = this.seen.find((one) => one.id === id);
    if (!dialog || dialog.answer !== undefined) throw new Error(`There is no open dialog ${id}`);
    const problem = whyNot(answer, dialog);
    if (problem !== undefined) throw new Error(problem);
    dialog.answer = answer;
    const said = answer === null ? { cancelled: true } : typeof answer === 'boolean' ? { confirmed: answer } : { value: answer };
    this.#respond({ id, ...said });
  }

  /** The extension must not suffer from a mistake of the script: the test is told instead. */
  #answerOrDismiss(dialog: SeenDialog, answer: string | boolean | null): void {
    const problem = whyNot(answer, dialog);
    if (problem !== undefined) this.problem ??= new Error(problem);
    this.answer(dialog.id, problem === undefined ? answer : null);
  }

  withdrawn(id: string): void {
    const dialog = this.seen.find((one) => one.id === id);
    if (dialog && dialog.answer === undefined) dialog.answer = null;
  }
}

function whyNot(answer: string | boolean | null, { method, title, options }: SeenDialog): string | undefined {
  if (answer === null) return undefined;
  const isText = typeof answer === 'string';
  if (isText === (method === 'confirm')) return `The ${method} "${title}" can't be answered with ${JSON.stringify(answer)}`;
  if (!isText || options === undefined || options.includes(answer)) return undefined;
  return `"${answer}" is no option of "${title}": ${options.join(', ')}`;
}

function fits(answer: DialogAnswer, { method, title, options }: SeenDialog): boolean {
  if (answer === null) return true;
  if (typeof answer === 'boolean') return method === 'confirm';
  if (typeof answer === 'string') return method !== 'confirm' && (options === undefined || options.includes(answer));
  const isTitle =
    answer.title === undefined || (typeof answer.title === 'string' ? answer.title === title : answer.title.test(title));
  return isTitle && (answer.method === undefined || answer.method === method);
}
