import { OPTION_GROUPS, OPTIONS, type OptionRow } from './option-table.js';
import { SUBCOMMANDS, type SubcommandRow } from './subcommands.js';

const WIDTH = 110;
const LEFT = 38;

/** The text of `--help`, made from the tables; ends with a newline. */
export function renderHelp(version: string): string {
  const rows: readonly OptionRow[] = OPTIONS;
  const subcommands: readonly SubcommandRow[] = SUBCOMMANDS;
  const lines = [
    `pi ${version}: a headless coding agent and extension platform`,
    '',
    'Usage: pi [options] [@files...] [messages...]',
  ];
  for (const row of subcommands) if (!row.planned) lines.push(`       pi ${row.usage}`);
  for (const group of OPTION_GROUPS) {
    const shown = rows.filter((row) => row.group === group && !row.terminalOnly);
    if (shown.length > 0) lines.push('', `${group}:`, ...shown.flatMap((row) => columns(spellings(row), row.help)));
  }
  lines.push('', 'Arguments:', ...ARGUMENTS.flatMap(([left, right]) => columns(left, right)));
  lines.push('', 'Environment:', ...ENVIRONMENT.flatMap(([left, right]) => columns(left, right)));
  lines.push(
    '',
    'Exit codes: 0 answered, 1 error or abort, 2 wrong call, 143 and 129 after SIGTERM and SIGHUP.',
    '',
    'Examples:',
  );
  lines.push(...EXAMPLES.map((example) => `  ${example}`));
  return `${lines.join('\n')}\n`;
}

const ARGUMENTS: readonly (readonly [string, string])[] = [
  ['message', 'A prompt; several are asked one after another. Piped stdin is put before the first'],
  ['@file', 'Text or image (PNG, JPEG, GIF, WebP) to put before the first prompt'],
  ['--', 'Ends options: what follows is prompt text, even if it begins with - or @'],
];

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['PI_CODING_AGENT_DIR', 'Directory of settings, keys and sessions (default ~/.pi/agent)'],
  ['PI_CODING_AGENT_SESSION_DIR', 'Directory of session files'],
  ['PI_OFFLINE', 'Set to 1: no network at start-up'],
  ['PI_LOG, PI_LOG_FILE', 'Level (debug, info, warn, error) and file of the diagnostic log'],
  ['ANTHROPIC_API_KEY, OPENAI_API_KEY, …', 'Keys of providers'],
];

const EXAMPLES = [
  'pi -p "Summarise this project"',
  'git diff | pi -p "Review this change"',
  'pi -p @screenshot.png "What is wrong here?"',
  'pi --model sonnet:high -p "Plan the migration"',
  'pi --provider offline -p "list the files in src"',
  'pi --mode rpc --no-session',
];

function spellings(row: OptionRow): string {
  const value = row.valueName === undefined ? '' : row.kind === 'optionalValue' ? ` [${row.valueName}]` : ` <${row.valueName}>`;
  return `${[`--${row.name}`, ...(row.aliases ?? [])].join(', ')}${value}`;
}

/** Two columns, the right one wrapped at words. */
function columns(left: string, right: string): string[] {
  const lines: string[] = [];
  let line = `  ${left}`.padEnd(LEFT);
  // Too wide to leave a gap before the right column.
  if (left.length + 2 >= LEFT) {
    lines.push(line.trimEnd());
    line = ' '.repeat(LEFT);
  }
  let empty = true;
  for (const word of right.split(' ')) {
    if (!empty && line.length + 1 + word.length > WIDTH) {
      lines.push(line);
      line = ' '.repeat(LEFT);
      empty = true;
    }
    line += empty ? word : ` ${word}`;
    empty = false;
  }
  lines.push(line);
  return lines;
}
