/** Control characters other than tab and newline, DEL and the C1 range. ESC and CR are among them. */
const UNWANTED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;
const ALL_UNWANTED = new RegExp(UNWANTED.source, 'g');

/** Terminal sequences, most specific first: CSI, the string kinds with their terminator, then two-character ones. */
const SEQUENCES =
  /\u001b\[[0-?]*[ -/]*[@-~]|\u009b[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[PX^_][^\u001b]*\u001b\\|\u001b[ -/]*[0-~]/g;

/** A sequence that has begun and not ended at the end of the text. */
const UNFINISHED = /\u001b(?:\[[0-?]*[ -/]*|[\]PX^_][^\u0007\u001b]*\u001b?|[ -/]*)$|\u009b[0-?]*[ -/]*$/;

/** A sequence longer than this is no sequence: a lone introducer must not swallow the rest of the output. */
const MAX_SEQUENCE = 4096;

/**
 * Removes terminal sequences and control characters from text that arrives in pieces; a sequence cut in two by the pieces is removed too.
 * Clean text passes through as it is. Source: FACTS "Bash and tools" (ANSI codes and CR removed).
 */
export class OutputSanitizer {
  #held = '';

  push(text: string): string {
    if (this.#held === '' && !UNWANTED.test(text)) return text;
    const all = this.#held + text;
    this.#held = '';
    const tailStart = Math.max(0, all.length - MAX_SEQUENCE);
    const unfinished = all.slice(tailStart).search(UNFINISHED);
    const end = unfinished < 0 ? all.length : tailStart + unfinished;
    this.#held = all.slice(end);
    return clean(all.slice(0, end));
  }

  /** What is still held back: an unfinished sequence, shown without its control characters. */
  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest.startsWith('\u001b[') || rest.length <= 2 ? '' : clean(rest);
  }
}

function clean(text: string): string {
  return text.replace(SEQUENCES, '').replace(ALL_UNWANTED, '');
}
