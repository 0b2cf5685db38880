import os from 'node:os';
import { parseArgs } from 'node:util';
import { referencePi } from '../../test/support/reference-pi.js';
import { fixed, row, spread } from '../boundary/figures.js';
import { MEASURES, type Subject } from './measures.js';
import { startModelService } from './model-service.js';

const { values } = parseArgs({
  options: {
    pi: { type: 'string' },
    node: { type: 'string', default: process.execPath },
    only: { type: 'string', multiple: true },
    runs: { type: 'string', default: '3' },
    peer: { type: 'string', multiple: true },
    'no-peers': { type: 'boolean', default: false },
  },
});

/** Versions of the existing program that are installed for the tests, or can be. */
const PEER_VERSIONS = ['0.84.0', '1.6.0'];

function peers(): Subject[] {
  if (values['no-peers']) return [];
  if (values.peer)
    return values.peer.map((text) => {
      const [name = '', command = ''] = text.split('=', 2);
      return { name, command: command.split(' ') };
    });
  return PEER_VERSIONS.flatMap((version) => {
    const command = referencePi(version);
    return command ? [{ name: version, command }] : [];
  });
}

const subjects: Subject[] = [{ name: 'ours', command: [values.node, values.pi ?? ''] }, ...peers()];
const service = await startModelService();
const wanted = MEASURES.filter(({ name }) => !values.only || values.only.some((part) => name.includes(part)));

process.stdout.write(
  `\n${os.cpus().length} CPUs, load ${os
    .loadavg()
    .map((load) => fixed(load))
    .join(' ')}, medians of ${values.runs}\n\n`,
);
row('measure', [...subjects.map(({ name }) => name), 'ours / better peer'].join(' | '));
row('---', [...subjects.map(() => '---:'), '---:'].join(' | '));
for (const { name, run } of wanted) {
  const figures = new Map<string, Map<string, number[]>>();
  // Interleaved, so that a busy minute of the machine falls on all.
  for (let at = 0; at < Number(values.runs); at++) {
    for (const subject of subjects) {
      const take = (figure: string, value: number): void => {
        const of = figures.get(figure) ?? new Map<string, number[]>();
        figures.set(figure, of);
        of.set(subject.name, [...(of.get(subject.name) ?? []), value]);
      };
      await run(subject, service.url, take).catch((error: Error) =>
        process.stderr.write(`${name}, ${subject.name}: ${error.message}\n`),
      );
    }
  }
  for (const [figure, of] of figures) {
    const medians = subjects.map((subject) => spread(of.get(subject.name) ?? []).median);
    const [ours = Number.NaN, ...others] = medians;
    const better = Math.min(...others.filter((value) => !Number.isNaN(value)));
    const ratio = Number.isFinite(better) ? fixed(ours / better, 2) : '';
    row(
      `${name}: ${figure}`,
      [...medians.map((value) => (Number.isNaN(value) ? 'fails' : fixed(value, value < 10 ? 2 : 0))), ratio].join(' | '),
    );
  }
}
service.close();
