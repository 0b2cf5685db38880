import type { FindStep } from '../grammar/steps.js';
import type { ToolInfo } from '../model-api.js';

/** A tool call to make, and the sentence that announces it. */
export interface Call {
  tool: string;
  args: Record<string, unknown>;
  say: string;
}

/** A step that cannot be done with the tools that are active; the message says which would do. */
export class MissingTool extends Error {}

/** Safe as one word of a POSIX shell. */
export const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** A word that no command takes for an option. */
const pathWord = (path: string): string => shellQuote(path === '' ? '.' : path);

const shownFolder = (folder: string): string => (folder === '' ? 'this folder' : `\`${folder}\``);

/** Turns what is to be done into calls of the tools that are active: a tool made for it, else bash. */
export class Toolbox {
  readonly #tools: readonly ToolInfo[];

  constructor(tools: readonly ToolInfo[]) {
    this.#tools = tools;
  }

  has(name: string): boolean {
    return this.#tools.some((tool) => tool.name === name);
  }

  list(folder: string): Call {
    const say = `I list ${shownFolder(folder)}.`;
    if (this.has('ls')) return { tool: 'ls', args: folder === '' ? {} : { path: folder }, say };
    if (this.has('bash')) return bash(folder === '' ? 'ls -la' : `ls -la -- ${pathWord(folder)}`, say);
    if (this.has('find')) return { tool: 'find', args: { pattern: '*', ...(folder === '' ? {} : { path: folder }) }, say };
    return this.#missing('Listing a folder', ['ls', 'bash', 'find']);
  }

  find(step: FindStep): Call {
    const what = step.folders ? 'folders' : 'files';
    const named = step.glob === '*' ? 'all files' : `${what} named \`${step.glob}\``;
    const say = `I look for ${named} in ${shownFolder(step.folder)}.`;
    if (this.has('find')) {
      const pattern = step.ignoreCase ? anyCase(step.glob) : step.glob;
      return { tool: 'find', args: { pattern, ...(step.folder === '' ? {} : { path: step.folder }) }, say };
    }
    if (this.has('bash')) return bash(findCommand(step), say);
    return this.#missing('Finding files', ['find', 'bash']);
  }

  /** `path` is a file or folder; the empty one is the working folder. */
  search(text: string, path: string, options: { regex: boolean; ignoreCase: boolean }): Call {
    const say = `I search ${shownFolder(path)} for \`${text}\`.`;
    if (this.has('grep')) {
      const literal = !options.regex && /[\\^$.*+?()[\]{}|]/.test(text);
      const args: Record<string, unknown> = { pattern: text };
      if (path !== '') args.path = path;
      if (options.ignoreCase) args.ignoreCase = true;
      if (literal && this.#takes('grep', 'literal')) args.literal = true;
      else if (literal) args.pattern = text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      return { tool: 'grep', args, say };
    }
    if (this.has('bash')) {
      const flags = `-rnI${options.ignoreCase ? 'i' : ''}${options.regex ? 'E' : 'F'}`;
      const skip = '--exclude-dir=.git --exclude-dir=node_modules';
      return bash(`grep ${flags} ${skip} -e ${shellQuote(text)} -- ${pathWord(path)}`, say);
    }
    return this.#missing('Searching', ['grep', 'bash']);
  }

  read(path: string, lines: { offset?: number; limit?: number }, say: string): Call {
    if (this.has('read')) return { tool: 'read', args: { path, ...lines }, say };
    if (this.has('bash')) {
      const { offset = 1, limit } = lines;
      if (offset === 1 && limit === undefined) return bash(`cat -- ${shellQuote(path)}`, say);
      return bash(
        `sed -n ${shellQuote(`${offset},${limit === undefined ? '$' : offset + limit - 1}p`)} -- ${shellQuote(path)}`,
        say,
      );
    }
    return this.#missing('Reading', ['read', 'bash']);
  }

  edit(path: string, edits: { oldText: string; newText: string }[], say: string): Call {
    if (this.has('edit')) return { tool: 'edit', args: { path, edits }, say };
    return this.#missing('Changing text in a file', ['edit']);
  }

  write(path: string, content: string, say: string): Call {
    if (this.has('write')) return { tool: 'write', args: { path, content }, say };
    return this.#missing('Writing a file', ['write']);
  }

  bash(command: string, say: string, timeout?: number): Call {
    if (this.has('bash')) return bash(command, say, timeout);
    return this.#missing('Running a command', ['bash']);
  }

  #takes(tool: string, parameter: string): boolean {
    const properties = this.#tools.find(({ name }) => name === tool)?.parameters.properties;
    return typeof properties === 'object' && properties !== null && parameter in properties;
  }

  #missing(what: string, wanted: readonly string[]): never {
    const active = this.#tools.map((tool) => tool.name).join(', ') || 'none';
    const needs = wanted.length === 1 ? `the ${wanted[0]} tool` : `one of the tools ${wanted.join(', ')}`;
    throw new MissingTool(`${what} needs ${needs}. Active tools: ${active}.`);
  }
}

const bash = (command: string, say: string, timeout?: number): Call => ({
  tool: 'bash',
  args: timeout === undefined ? { command } : { command, timeout },
  say,
});

function findCommand({ glob, folder, folders, ignoreCase }: FindStep): string {
  const test = (pattern: string): string => {
    if (!pattern.includes('/')) return `${ignoreCase ? '-iname' : '-name'} ${shellQuote(pattern)}`;
    const path = `*/${pattern.replace(/^(\.?\/|\*\*\/)+/, '').replaceAll('**/', '*')}`;
    return `${ignoreCase ? '-ipath' : '-path'} ${shellQuote(path)}`;
  };
  const tests = withoutBraces(glob).map(test);
  const [only] = tests;
  const names = tests.length === 1 ? only : `\\( ${tests.join(' -o ')} \\)`;
  // A path that begins with a dash would be an option.
  const start = folder === '' ? '.' : shellQuote(folder.startsWith('-') ? `./${folder}` : folder);
  const skip = `-not -path '*/.git/*' -not -path '*/node_modules/*'`;
  return `find ${start} -type ${folders ? 'd' : 'f'} ${names} ${skip}`;
}

/** `*.{yml,yaml}` is two patterns. */
function withoutBraces(glob: string): string[] {
  const braces = /^(.*)\{([^{}]*)\}(.*)$/.exec(glob);
  if (!braces) return [glob];
  return (braces[2] ?? '').split(',').flatMap((part) => withoutBraces(`${braces[1]}${part}${braces[3]}`));
}

const anyCase = (glob: string): string => glob.replace(/[a-z]/gi, (letter) => `[${letter.toLowerCase()}${letter.toUpperCase()}]`);
