/** Changes to a text, collected in any order and applied at once; none of them adds or removes a line. */
export class Edits {
  readonly #source: string;
  readonly #edits: { start: number; end: number; text: string }[] = [];

  constructor(source: string) {
    this.#source = source;
  }

  replace(start: number, end: number, text: string): void {
    const lines = this.#source.slice(start, end).split('\n').length - 1;
    this.#edits.push({ start, end, text: text + '\n'.repeat(lines) });
  }

  apply(): string {
    let result = '';
    let done = 0;
    for (const { start, end, text } of this.#edits.sort((a, b) => a.start - b.start)) {
      result += this.#source.slice(done, start) + text;
      done = end;
    }
    return result + this.#source.slice(done);
  }
}
