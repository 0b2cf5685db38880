/** Commands that destroy the machine or everything of its user, however they are spelled here; no shield, a refusal to be the hand. */
const WHOLE = String.raw`(?:/|/\*|~|~/|~/\*|\$HOME|\$\{HOME\}|\$HOME/\*|/(?:bin|boot|dev|etc|home|lib|lib64|opt|proc|root|sbin|srv|sys|usr|var|Users|System|Library|Windows)/?\*?|[A-Z]:\\?)`;
const END = String.raw`(?=$|[\s;&|)'"])`;

const COMMANDS: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(String.raw`\brm\b(?=[^;&|]*\s(?:-\w*[rR]|--recursive))[^;&|]*\s['"]?${WHOLE}['"]?${END}`),
    'delete a whole system or home folder',
  ],
  [/--no-preserve-root/, 'delete a whole system'],
  [/\bmkfs(\.\w+)?\b/, 'format a disk'],
  [/\b(wipefs|shred|fdisk|parted|sgdisk)\b[^;&|]*\/dev\//, 'overwrite a disk'],
  [/\bdd\b[^;&|]*\bof=\/dev\/(?!null\b|zero\b|stdout\b|stderr\b)/, 'overwrite a disk'],
  [/>\s*\/dev\/(sd|hd|vd|nvme|disk|mmcblk)/, 'overwrite a disk'],
  [/(\w+|:)\s*\(\)\s*\{\s*\1\s*\|\s*\1\s*&\s*\}/, 'start processes without end'],
  [
    new RegExp(String.raw`\b(?:chmod|chown|chgrp)\b(?=[^;&|]*\s(?:-\w*R|--recursive))[^;&|]*\s['"]?${WHOLE}['"]?${END}`),
    'change the rights of a whole system',
  ],
  [new RegExp(String.raw`\bfind\s+['"]?${WHOLE}['"]?\s[^;|]*-(?:delete|exec\s+rm)\b`), 'delete a whole system'],
  [new RegExp(String.raw`\bmv\b[^;&|]*\s['"]?${WHOLE}['"]?\s+/dev/null`), 'delete a whole system'],
  [/(^|[;&|]\s*|\bsudo\s+)(shutdown|reboot|halt|poweroff|init\s+[06])\b/, 'switch the machine off'],
  [/\bkill(all)?\b[^;&|]*\s-1\s*$/, 'end every process'],
  [/\bformat\s+[a-z]:/i, 'format a disk'],
];

/** What a shell command would destroy, in words that continue "would"; undefined when it is not known to. */
export function dangerOfCommand(command: string): string | undefined {
  return COMMANDS.find(([pattern]) => pattern.test(command))?.[1];
}

const SYSTEM_PATH = /^(\/(bin|boot|dev|etc|lib|lib64|proc|sbin|sys|usr|System|Library)(\/|$)|[A-Z]:\\Windows\\)/;

export const isSystemPath = (path: string): boolean => SYSTEM_PATH.test(path) && path !== '/dev/null';

const DESTROY = 'delete|remove|erase|wipe|destroy|format|nuke|trash|kill|clear';
/** Wishes in plain words, as patterns of the grammar. */
export const DESTRUCTIVE_WISHES: readonly string[] = [
  `${DESTROY} [ out ] [ absolutely ] everything [ on|in|from {rest} ]`,
  `${DESTROY} all|every|my|the|our|this|whole|entire|of [ of ] [ the|my|our ] [ whole|entire ] files|file|data|disk|drive|disks|computer|machine|system|partition|partitions|folders|directories [ {rest} ]`,
  `${DESTROY} [ the|my|this ] [ whole|entire|hard|system|home|root ] [ hard ] disk|drive|computer|machine|system|partition|directory|folder [ {rest} ]`,
  `${DESTROY} /|~ [ {rest} ]`,
];
