const ABILITIES = `What I can do, each with an example:

- list a folder: \`list the files in src\`
- find files by name: \`find all .md files\`, \`where is config.json?\`
- read a file or some lines of it: \`show lines 3 to 10 of README.md\`
- search for text: \`which files mention TODO?\`
- count: \`how many lines does README.md have?\`
- write, or add to a file: \`create notes.txt with "buy milk"\`, \`append "and bread" to it\`
- change text: \`replace "colour" with "color" in src/a.js\`, \`rename total to sum in it\`
- run a command: \`run "node src/report.js"\`
- several steps in one go: \`find config.json, change "8080" to "9090" in it and run "npm test"\``;

const REAL_MODEL =
  "For everything else use a real model: store its key with `pi auth set <provider>` (or set the provider's environment variable), then choose it with `--provider` and `--model`; `pi --list-models` shows what there is.";

const IDENTITY =
  "I am not a language model but pi's embedded offline model: I understand plain requests about files and commands, and nothing else.";

export const HELP = `${IDENTITY}\n\n${ABILITIES}\n\n${REAL_MODEL}`;

export const WELCOME = 'You are welcome.';

export const GREETING = `Hello! ${HELP}`;

/** The answer to what no rule fits; `part` is the wording in question when the rest was understood. */
export function notUnderstood(part: string | undefined): string {
  const what = part === undefined ? 'I did not understand that.' : `I did not understand this part: "${part}"`;
  return `${what} ${IDENTITY}\n\n${ABILITIES}\n\n${REAL_MODEL}`;
}
