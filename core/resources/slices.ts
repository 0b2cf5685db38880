/** How many files or folders are looked at before commands get a turn: a millisecond's worth. */
export const SLICE = 32;

/** Lets whatever waits have its turn. (`node:timers/promises` would do, and load Node's streams for it.) */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
