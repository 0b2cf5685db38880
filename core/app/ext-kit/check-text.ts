import path from 'node:path';
import type { CheckedExtension, CheckProblem, CheckReport } from './check-extension.js';

/** The report for a person, in paths from `cwd` where they are below it. */
export function checkText(report: CheckReport, cwd: string): string {
  const place = (file: string | undefined, line?: number): string => {
    if (file === undefined) return '';
    const relative = path.relative(cwd, file);
    return `${relative.startsWith('..') ? file : relative}${line === undefined ? '' : `:${line}`}`;
  };
  const problem = (one: CheckProblem): string => {
    const at = place(one.path, one.line);
    return `  ${one.severity}: ${at === '' ? '' : `${at}: `}${one.message}\n`;
  };
  const list = (title: string, items: readonly string[]): string =>
    items.length === 0 ? '' : `  ${title}: ${items.join(', ')}\n`;
  const rows = (title: string, items: readonly string[]): string =>
    items.length === 0 ? '' : `  ${title}:\n${items.map((item) => `    ${item}\n`).join('')}`;
  const one = ({ registers, ...extension }: CheckedExtension): string => {
    const took = extension.loadMs === undefined ? '' : ` in ${Math.round(extension.loadMs)} ms`;
    const state = extension.state === 'ready' ? `loads${took}` : `does not load (${extension.state})`;
    const files = (used: string): string => place(/^(.*?):\d+$/.exec(used)?.[1] ?? used, Number(/:(\d+)$/.exec(used)?.[1] ?? 1));
    return [
      `${extension.name} (${place(extension.path)}): ${state}, ${extension.level}\n`,
      list('tools', registers.tools),
      list(
        'commands',
        registers.commands.map((name) => `/${name}`),
      ),
      list(
        'flags',
        registers.flags.map((name) => `--${name}`),
      ),
      list('events', registers.events),
      list('providers', registers.providers),
      list(
        'shortcuts',
        registers.shortcuts.map((site) => place(site.path, site.line)),
      ),
      list(
        'renderers',
        registers.renderers.map((site) => `${site.member} ${place(site.path, site.line)}`),
      ),
      rows(
        'dialogs at the start, which were dismissed',
        extension.dialogs.map(({ method, title }) => `${method} "${title}"`),
      ),
      rows(
        'needs a terminal',
        extension.needsTerminal.map((use) => `${place(use.path, use.line)} ${use.member} ${use.effect}`),
      ),
      rows(
        'capabilities it would need, by what ran here ("pi ext learn" also tries commands and tools)',
        extension.capabilities.map(({ capability, sites, how, grantable }) => {
          const remark = grantable ? (how === undefined ? '' : ` (${how} only)`) : ' (can not be granted)';
          return `${capability}${remark} ${sites.slice(0, 3).map(files).join(' ')}`;
        }),
      ),
      list('declared by its author', extension.declared),
      ...extension.problems.map(problem),
    ].join('');
  };
  const count = (severity: CheckProblem['severity']): number =>
    [...report.problems, ...report.extensions.flatMap((extension) => extension.problems)].filter(
      (found) => found.severity === severity,
    ).length;
  const said = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`;
  return [
    ...report.extensions.map(one),
    rows(
      'resources',
      report.resources.map(({ kind, name, path: file }) => `${kind} ${name} ${place(file)}`),
    ),
    ...report.problems.map(problem),
    `${said(count('error'), 'error')}, ${said(count('warning'), 'warning')}\n`,
  ].join('');
}
