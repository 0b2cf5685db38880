import path from 'node:path';
import { isWithin, realPath } from '../shared/real-path.js';
import { type ShellCommand, shellCommands } from '../shared/shell-commands.js';

const has = (args: readonly string[], short: string, ...long: string[]): boolean =>
  args.some(
    (arg) =>
      long.includes(arg.split('=')[0] ?? '') || (/^-[A-Za-z]+$/.test(arg) && [...short].some((flag) => arg.includes(flag))),
  );

/** Program -> why this use of it is worth a question; undefined when it is not. */
const PROGRAMS: Readonly<Record<string, (args: readonly string[]) => string | undefined>> = {
  rm: (args) => (has(args, 'rRf', '--recursive', '--force') ? 'deletes without asking' : undefined),
  rmdir: () => undefined,
  shred: () => 'destroys files',
  truncate: () => 'empties files',
  dd: (args) => (args.some((arg) => arg.startsWith('of=')) ? 'writes over a file or a disk' : undefined),
  mkfs: () => 'makes a file system',
  sudo: () => 'runs as another user',
  doas: () => 'runs as another user',
  su: () => 'runs as another user',
  chmod: (args) => (has(args, 'R', '--recursive') || args.some((arg) => /777|\+s/.test(arg)) ? 'changes permissions' : undefined),
  chown: () => 'changes owners',
  kill: () => 'ends processes',
  killall: () => 'ends processes',
  pkill: () => 'ends processes',
  shutdown: () => 'stops the machine',
  reboot: () => 'stops the machine',
  systemctl: (args) => (/^(?:stop|disable|mask|poweroff|reboot)$/.test(args[0] ?? '') ? 'changes services' : undefined),
  crontab: (args) => (has(args, 'l', '--list') ? undefined : 'changes what runs by the clock'),
  git: gitDanger,
  npm: (args) => (/^(?:publish|unpublish|deprecate|token)$/.test(args[0] ?? '') ? 'changes what others install' : undefined),
  docker: (args) =>
    args.includes('prune') || args[0] === 'rm' || args[0] === 'rmi' ? 'removes containers or images' : undefined,
  kubectl: (args) => (/^(?:delete|drain|apply)$/.test(args[0] ?? '') ? 'changes a cluster' : undefined),
  terraform: (args) => (/^(?:apply|destroy)$/.test(args[0] ?? '') ? 'changes infrastructure' : undefined),
  find: (args) => (args.includes('-delete') ? 'deletes what it finds' : undefined),
};
const DOWNLOADERS = new Set(['curl', 'wget']);
const INTERPRETERS = new Set(['sh', 'bash', 'zsh', 'dash', 'python', 'python3', 'node', 'perl', 'ruby']);

function gitDanger(all: readonly string[]): string | undefined {
  // Options of git itself come first, some with a value.
  const at = all.findIndex((arg, index) => !arg.startsWith('-') && !/^-[cC]$/.test(all[index - 1] ?? ''));
  const [verb = '', ...args] = at < 0 ? [] : all.slice(at);
  switch (verb) {
    case 'push':
      return 'publishes commits';
    case 'reset':
      return args.includes('--hard') ? 'throws changes away' : undefined;
    case 'clean':
      return has(args, 'f', '--force') ? 'deletes untracked files' : undefined;
    case 'checkout':
    case 'restore':
      return args.includes('.') || args.includes('--') ? 'throws changes away' : undefined;
    case 'branch':
      return args.includes('-D') ? 'deletes a branch' : undefined;
    case 'stash':
      return /^(?:drop|clear)$/.test(args[0] ?? '') ? 'throws a stash away' : undefined;
    case 'filter-branch':
    case 'rebase':
      return 'rewrites history';
    default:
      return undefined;
  }
}

/** Something that is worth a question. */
export interface Danger {
  /** What rules are compared with, and people are shown. */
  what: string;
  why: string;
}

/** Each part of a tool call that could do harm. */
export function dangersOf(toolName: string, input: Record<string, unknown>, cwd: string): Danger[] {
  if ((toolName === 'write' || toolName === 'edit') && typeof input.path === 'string') {
    const file = realPath(input.path, cwd);
    return isWithin(file, realPath('.', cwd)) ? [] : [{ what: `${toolName} ${file}`, why: 'is outside this folder' }];
  }
  if (toolName !== 'bash' || typeof input.command !== 'string') return [];
  const commands = shellCommands(input.command);
  return commands.flatMap((command, at) => {
    const why = dangerOf(command, commands[at - 1], cwd);
    return why === undefined ? [] : [{ what: textOf(command), why }];
  });
}

/** Each command of a call, as rules see it. */
export function partsOf(toolName: string, input: Record<string, unknown>, cwd: string): string[] {
  if (toolName === 'bash' && typeof input.command === 'string') return shellCommands(input.command).map(textOf);
  return typeof input.path === 'string' ? [`${toolName} ${realPath(input.path, cwd)}`] : [toolName];
}

const textOf = ({ words, writes }: ShellCommand): string => [...words, ...writes.map((file) => `> ${file}`)].join(' ');

function dangerOf({ words, writes }: ShellCommand, before: ShellCommand | undefined, cwd: string): string | undefined {
  const [program = '', ...args] = words;
  const name = path.basename(program).replace(/^mkfs\..*/, 'mkfs');
  const known = Object.hasOwn(PROGRAMS, name) ? PROGRAMS[name]?.(args) : undefined;
  if (known !== undefined) return known;
  if (before?.isPiped && DOWNLOADERS.has(path.basename(before.words[0] ?? '')) && INTERPRETERS.has(name))
    return 'runs what it downloads';
  const outside = writes.find((file) => !isHarmless(file) && !isWithin(realPath(file, cwd), realPath('.', cwd)));
  return outside === undefined ? undefined : `writes to ${outside}, outside this folder`;
}

const isHarmless = (file: string): boolean => /^\/dev\/(?:null|stdout|stderr|tty)$|^\/tmp\//.test(file);
