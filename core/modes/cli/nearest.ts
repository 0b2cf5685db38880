/**
 * The candidate most like `word`, or `undefined` when none is close enough to be what was meant.
 * Upper case, underscores and a missing dash do not count; otherwise about one slip in three letters is allowed, and a
 * candidate that begins with what was typed counts as close.
 */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  // Longer than any name we have: whatever this is, it is no slip of the pen, and the distance costs length times length.
  if (word.length > 60) return undefined;
  const wanted = normalise(word);
  if (wanted.length < 2) return undefined;
  let best: string | undefined;
  let bestScore = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const bare = normalise(candidate);
    const score = wanted.length >= 3 && bare.startsWith(wanted) ? Math.min(0.5, distance(wanted, bare)) : distance(wanted, bare);
    if (score < bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

function normalise(word: string): string {
  return word
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replace(/_/g, '-')
    .replace(/^-+/, '')
    .toLowerCase();
}

/** What a swap of neighbours counts; the likeliest slip wins a tie. */
const SWAP = 0.9;

/** Edits (insert, delete, replace, swap of neighbours) from one word to the other. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (beforeLast[j - 2] ?? 0) + SWAP);
      row.push(best);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
