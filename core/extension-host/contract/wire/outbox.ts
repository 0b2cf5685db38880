/** A frame's worth of lines is sent at once when it gets this long (UTF-16 units): the other side's limit is on frames. */
const FLUSH_AT = 256 * 1024;

/**
 * Joins the lines of one tick into one frame. Under load that is one write and one message per tick instead of one per event, in order.
 */
export class Outbox {
  readonly #write: (lines: string) => void;
  #lines = '';
  #scheduled = false;

  constructor(write: (lines: string) => void) {
    this.#write = write;
  }

  add(line: string): void {
    if (this.#lines === '') this.#lines = line;
    else if (this.#lines.length + line.length < FLUSH_AT) this.#lines += `\n${line}`;
    else {
      this.flush();
      this.#lines = line;
    }
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  /** Sends now what waits: before anything that must come after it on another way. */
  flush(): void {
    if (this.#lines === '') return;
    const lines = this.#lines;
    this.#lines = '';
    this.#write(lines);
  }
}
