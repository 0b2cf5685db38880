// What the scripts of this folder tell people: one line per step, on stderr, so that stdout stays the program's own.

export function say(text) {
  process.stderr.write(`[pi] ${text}\n`);
}

/** Runs a step and says what it was and how long it took. */
export async function step(text, work) {
  const began = performance.now();
  say(`${text} …`);
  const result = await work();
  say(`${text}: done in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}
