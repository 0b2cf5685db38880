/** `*` stands for anything but a slash, `**` for anything, `?` for one character that is no slash. */
export function globPattern(glob: string, flags = ''): RegExp {
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|[\\^$.|+()[\]{}]/g, (part) => {
    if (part === '**/') return '(?:.*/)?';
    if (part === '**') return '.*';
    if (part === '*') return '[^/]*';
    return part === '?' ? '[^/]' : `\\${part}`;
  });
  return new RegExp(`^${source}$`, flags);
}

/** For commands: `*` stands for anything. */
export function textPattern(pattern: string): RegExp {
  const source = pattern.split('*').map((part) => part.replace(/[\\^$.|?+()[\]{}]/g, '\\$&'));
  // `git push *` is also `git push` alone.
  return new RegExp(`^${source.join('[\\s\\S]*').replace(/ \[\\s\\S\]\*$/, '(?: [\\s\\S]*)?')}$`);
}
