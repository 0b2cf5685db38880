/** Fields that are each run's own. */
const PER_RUN: ReadonlySet<string> = new Set(
  'id timestamp parentId entryId extension durationMs cost cacheWrite1h responseId responseModel sessionId'.split(' '),
);

/** Keys in one order, without those that are each run's own; what was said to a tool stays whole. */
export function withoutPerRun(value: unknown, isArguments = false): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutPerRun(item, isArguments));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => isArguments || !PER_RUN.has(key));
  return Object.fromEntries(
    kept
      .sort(([one], [other]) => order(one, other))
      .map(([key, field]) => [key, withoutPerRun(field, isArguments || /^(args|arguments|input)$/.test(key))]),
  );
}

export const order = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** Paths, ids, times and colours are each run's, or each program's, own; so is what a drive says is `unspoken`. */
export function maskOf(places: ReadonlyMap<string, string>, unspoken: readonly RegExp[] = []): (text: string) => string {
  return (text) => {
    let masked = text;
    for (const [place, name] of places) masked = masked.replaceAll(place, name);
    masked = masked
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
      .replace(/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d[.-]\d{3}Z/g, '<time>')
      .replace(/\d{1,2}\/\d{1,2}\/\d{4}, \d{1,2}:\d\d:\d\d [AP]M/g, '<time>')
      .replace(/\b1[6-9]\d{11}\b/g, '<ms>')
      .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{7,8}\b/g, '<hex>')
      .replace(/pi-test-\w{6}/g, 'pi-test')
      .replace(/\\u001b\[[\d;]+m/g, '');
    for (const pattern of unspoken) masked = masked.replace(pattern, '');
    return masked;
  };
}
