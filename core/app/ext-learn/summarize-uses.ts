import path from 'node:path';
import { parseCapability } from '../../trust/capabilities.js';

/** One thing an extension used, and where in its code. */
export interface Used {
  capability: string;
  /** `file:line`. */
  site: string;
  /** What it must use instead once it is restricted. */
  how?: string;
}

export interface LearnedFrom {
  file: string;
  cwd: string;
  home: string;
  /** What it was driven with. */
  lines: readonly string[];
}

const MAX_SITES = 5;

/** What to grant, with the places that need it, and what was registered and not tried. */
export function summarize(uses: readonly Used[], info: Record<string, unknown>, from: LearnedFrom): string {
  const byCapability = new Map<string, Used[]>();
  for (const use of uses) {
    const capability = shortenPlace(use.capability, from);
    byCapability.set(capability, [...(byCapability.get(capability) ?? []), use]);
  }
  const capabilities = [...byCapability.keys()].sort();
  const rows = capabilities.map((capability) => {
    const all = byCapability.get(capability) ?? [];
    const sites = [...new Set(all.map(({ site }) => path.relative(from.cwd, site)))];
    const more = sites.length > MAX_SITES ? ` and ${sites.length - MAX_SITES} more` : '';
    const how = all.find((one) => one.how !== undefined)?.how;
    const cannot = 'problem' in parseCapability(capability);
    const remark = cannot
      ? '   (can not be granted)'
      : how === undefined
        ? ''
        : `   (a restricted extension does this ${how} only)`;
    return `  ${capability}${remark}\n${sites
      .slice(0, MAX_SITES)
      .map((site) => `      ${site}\n`)
      .join('')}${more === '' ? '' : `     ${more}\n`}`;
  });
  const grants = capabilities.filter((one) => !('problem' in parseCapability(one)));
  const command = `pi ext trust ${quote(from.file)} restricted ${grants.map(quote).join(' ')}`.trimEnd();
  const untried = untriedOf(info, from.lines);
  return [
    capabilities.length === 0 ? 'It used nothing that has to be granted.\n' : `It used:\n${rows.join('')}`,
    untried.length === 0 ? '' : `Registered, and never called: ${untried.join(', ')}. What these need is not in the list.\n`,
    `To grant it this and nothing else:\n  ${command}\n`,
  ].join('');
}

/** What it registered that the run did not reach. */
function untriedOf(info: Record<string, unknown>, lines: readonly string[]): string[] {
  const names = (key: string): string[] => (Array.isArray(info[key]) ? (info[key] as string[]) : []);
  const typed = new Set(lines.map((line) => /^\/(\S+)/.exec(line)?.[1]));
  return [
    ...names('commands')
      .filter((name) => !typed.has(name))
      .map((name) => `/${name}`),
    ...names('tools')
      .filter((name) => !lines.some((line) => line.includes(`call:${name}`)))
      .map((name) => `the tool ${name} (unless a model called it)`),
  ];
}

/** Places in the project are meant wherever the project is. */
export function shortenPlace(capability: string, { cwd, home }: Pick<LearnedFrom, 'cwd' | 'home'>): string {
  const match = /^(fs:(?:read|write)):(.+)$/s.exec(capability);
  const [, kind = '', place = ''] = match ?? [];
  if (!match) return capability;
  if (place === cwd) return `${kind}:$CWD`;
  if (place.startsWith(`${cwd}/`)) return `${kind}:$CWD/${place.slice(cwd.length + 1)}`;
  return place.startsWith(`${home}/`) ? `${kind}:~/${place.slice(home.length + 1)}` : capability;
}

const quote = (text: string): string => (/^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
