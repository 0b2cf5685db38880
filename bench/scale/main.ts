import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { fixed, row, spread } from '../boundary/figures.js';
import { startModelService } from '../macro/model-service.js';
import { AXES } from './axes.js';
import { type Curve, plot } from './plot.js';

const { values } = parseArgs({
  options: {
    pi: { type: 'string', default: '' },
    node: { type: 'string', default: process.execPath },
    only: { type: 'string', multiple: true },
    runs: { type: 'string', default: '3' },
    svg: { type: 'string' },
  },
});

const service = await startModelService();
const curves: Curve[] = [];
row('what grows', 'figure | at each size | grows, as a share of its cause');
row('---', '--- | --- | ---:');
for (const { name, unit, sizes, measure } of AXES.filter((axis) => !values.only || values.only.includes(axis.name))) {
  const figures = new Map<string, number[][]>();
  for (const [at, size] of sizes.entries()) {
    for (let run = 0; run < Number(values.runs); run++) {
      const measured = await measure(size, { command: [values.node, values.pi], url: service.url });
      for (const [figure, value] of Object.entries(measured)) {
        const all = figures.get(figure) ?? sizes.map(() => []);
        figures.set(figure, all);
        all[at]?.push(value);
      }
    }
  }
  for (const [figure, all] of figures) {
    const medians = all.map((samples) => spread(samples).median);
    const [smallest = 1] = medians;
    const points = sizes.map((size, at) => ({ cause: size / (sizes[0] ?? 1), cost: (medians[at] ?? 0) / smallest }));
    const last = points.at(-1);
    const share = last ? fixed(last.cost / last.cause, 2) : '';
    const cells = medians.map((value, at) => `${sizes[at]}: ${fixed(value, value < 10 ? 2 : 0)}`).join(', ');
    row(`${name}, ${unit}`, `${figure} | ${cells} | ${share}`);
    // One line for each thing that grows: its first figure.
    if (!curves.some((curve) => curve.name.startsWith(`${name}: `))) curves.push({ name: `${name}: ${figure}`, points });
  }
}
service.close();
if (values.svg) writeFileSync(values.svg, plot(curves, 'How costs grow with their causes'));
