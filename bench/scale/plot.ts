/** One line of the plot: how a figure grows with its cause, both as multiples of the smallest size. */
export interface Curve {
  name: string;
  points: readonly { cause: number; cost: number }[];
}

const WIDTH = 720;
const HEIGHT = 440;
const LEFT = 56;
const RIGHT = 250;
const TOP = 24;
const BOTTOM = 44;
const COLOURS = ['#3b6fd4', '#c2542d', '#2b8a57', '#8a4fc7', '#b0892b', '#2a8c9c', '#c24a86', '#6b7280', '#4d7c0f'];

/** Costs beside causes, on logarithmic axes: a line below the diagonal grows slower than its cause. */
export function plot(curves: readonly Curve[], title: string): string {
  const top = Math.max(10, ...curves.flatMap(({ points }) => points.map(({ cause }) => cause)));
  const decades = Math.ceil(Math.log10(top));
  const x = (cause: number): number => LEFT + (Math.log10(cause) / decades) * (WIDTH - LEFT - RIGHT);
  // From a third to the largest: costs may fall.
  const low = Math.log10(1 / 3);
  const y = (cost: number): number =>
    TOP + (1 - (Math.log10(Math.max(cost, 1 / 3)) - low) / (decades - low)) * (HEIGHT - TOP - BOTTOM);
  const ticks = Array.from({ length: decades + 1 }, (_, at) => 10 ** at);
  const grid = ticks.map(
    (tick) =>
      `<path d="M${x(tick)} ${TOP}V${HEIGHT - BOTTOM}M${LEFT} ${y(tick)}H${WIDTH - RIGHT}" stroke="#d4d4d8"/>` +
      `<text x="${x(tick)}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">×${tick}</text>` +
      `<text x="${LEFT - 6}" y="${y(tick) + 4}" text-anchor="end">×${tick}</text>`,
  );
  const lines = curves.map(({ name, points }, at) => {
    const colour = COLOURS[at % COLOURS.length];
    const path = points
      .map(({ cause, cost }, step) => `${step === 0 ? 'M' : 'L'}${x(cause).toFixed(1)} ${y(cost).toFixed(1)}`)
      .join('');
    const label = `<text x="${WIDTH - RIGHT + 34}" y="${TOP + 14 + at * 19}">${name}</text>`;
    const key = `<path d="M${WIDTH - RIGHT + 10} ${TOP + 10 + at * 19}h18" stroke="${colour}" stroke-width="2.5"/>`;
    return `<path d="${path}" fill="none" stroke="${colour}" stroke-width="2"/>${key}${label}`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="system-ui, sans-serif" font-size="12" fill="#3f3f46" role="img">
<title>${title}</title>
<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>
${grid.join('\n')}
<path d="M${x(1)} ${y(1)}L${x(10 ** decades)} ${y(10 ** decades)}" stroke="#71717a" stroke-dasharray="4 4"/>
${lines.join('\n')}
<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">the cause, as a multiple of the smallest size</text>
<text transform="translate(14 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">the cost, as a multiple</text>
</svg>
`;
}
