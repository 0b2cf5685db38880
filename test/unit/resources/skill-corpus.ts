/** What a SKILL.md may look like that a person, an editor or a generator wrote. Its folder is named `odd`. */
export interface Oddity {
  what: string;
  text: string | Uint8Array;
  /** What is loaded; left out when nothing is. */
  skill?: { name?: string; description: string; hidden?: true; body?: string };
  /** Each problem that must be reported, and no other: severity, line, and words of the message. */
  problems?: readonly [severity: 'error' | 'warning', line: number, says: string][];
}

const BODY = 'Step one.';
const file = (head: string, body = `${BODY}\n`): string => `---\n${head}\n---\n${body}`;
const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
const plain = (description: string): { description: string; body: string } => ({ description, body: BODY });

export const ODDITIES: readonly Oddity[] = [
  // ---- how the file is encoded
  { what: 'a byte order mark', text: `\ufeff${file('description: bom')}`, skill: plain('bom') },
  { what: 'two byte order marks', text: `\ufeff\ufeff${file('description: bom')}`, skill: plain('bom') },
  { what: 'UTF-16, as Windows shells write it', text: utf16(file('description: wide ü')), skill: plain('wide ü') },
  { what: 'UTF-16 with the bytes swapped', text: utf16(file('description: wide ü')).swap16(), skill: plain('wide ü') },
  { what: 'CRLF line ends', text: file('name: odd\ndescription: crlf').replaceAll('\n', '\r\n'), skill: plain('crlf') },
  { what: 'CR line ends', text: file('name: odd\ndescription: cr').replaceAll('\n', '\r'), skill: plain('cr') },
  { what: 'mixed line ends', text: '---\r\nname: odd\ndescription: mixed\r---\nStep one.', skill: plain('mixed') },
  {
    what: 'no line end after the closing dashes',
    text: '---\ndescription: short\n---',
    skill: { description: 'short', body: '' },
  },
  {
    what: 'Latin-1 instead of UTF-8',
    text: Buffer.from(file('description: gr\xfc\xdfe'), 'latin1'),
    skill: { description: 'gr\ufffd\ufffde' },
    problems: [['warning', 1, 'not UTF-8']],
  },
  {
    what: 'the sign for unreadable characters, written on purpose',
    text: file('description: a \ufffd b'),
    skill: plain('a \ufffd b'),
  },
  { what: 'a NUL', text: file('description: a\0b'), problems: [['error', 1, 'no text file']] },
  {
    what: 'a picture',
    text: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
    problems: [['error', 1, 'no text file']],
  },
  { what: 'nothing', text: '', problems: [['error', 1, 'does not begin with']] },
  {
    what: 'more than 2 MB',
    text: file('description: huge', 'x'.repeat(2_100_000)),
    problems: [['error', 1, 'larger than 2 MB']],
  },
  { what: 'emoji and other planes', text: file('description: 世界 🚀 𝔘'), skill: plain('世界 🚀 𝔘') },

  // ---- where the block begins and ends
  { what: 'no front matter', text: '# Only text\n', problems: [['error', 1, 'does not begin with']] },
  { what: 'a blank line before it', text: `\n${file('description: late')}`, problems: [['error', 1, 'does not begin with']] },
  { what: 'four dashes', text: '----\ndescription: rule\n----\n', problems: [['error', 1, 'does not begin with']] },
  { what: 'never closed', text: '---\ndescription: open\n\nText\n', problems: [['error', 1, 'not closed']] },
  {
    what: 'closed by dashes that are indented',
    text: '---\ndescription: open\n ---\nText\n',
    problems: [['error', 1, 'not closed']],
  },
  { what: 'blanks after the dashes', text: '---  \ndescription: blanks\n---\t\nStep one.', skill: plain('blanks') },
  { what: 'an empty block', text: '---\n---\nText\n', problems: [['error', 1, 'missing or blank']] },
  { what: 'nothing but comments', text: file('# nothing\n# here'), problems: [['error', 1, 'missing or blank']] },
  {
    what: 'dashes in the body',
    text: file('description: rules', 'one\n\n---\n\ntwo: three\n\n---\n'),
    skill: { description: 'rules', body: 'one\n\n---\n\ntwo: three\n\n---' },
  },
  { what: 'dashes in a block scalar', text: file('description: |\n  a\n  ---\n  b'), skill: plain('a\n---\nb') },
  {
    what: 'a field that begins with dashes',
    text: file('---x: 1\ndescription: after'),
    problems: [['error', 2, 'not valid YAML']],
  },
  { what: 'blank lines between the fields', text: file('\nname: odd\n\n\ndescription: airy\n'), skill: plain('airy') },

  // ---- the language of the block
  { what: 'JavaScript', text: '---js\n{ description: "ran" }\n---\n', problems: [['error', 1, '"js" is never read']] },
  { what: 'JavaScript by its long name', text: '---javascript\n{}\n---\n', problems: [['error', 1, 'never read']] },
  { what: 'CoffeeScript', text: '---coffee\ndescription: "ran"\n---\n', problems: [['error', 1, 'never read']] },
  { what: 'TOML', text: '---toml\ndescription = "x"\n---\n', problems: [['error', 1, '"toml" is never read']] },
  { what: 'YAML by its name', text: '---yaml\ndescription: named\n---\nStep one.', skill: plain('named') },
  { what: 'JSON by its name', text: '---json\n{"description": "json: yes"}\n---\nStep one.', skill: plain('json: yes') },
  { what: 'broken JSON', text: '---json\n{"description": }\n---\n', problems: [['error', 2, 'not valid JSON']] },
  { what: 'a JSON list', text: '---json\n["description"]\n---\n', problems: [['error', 2, '"key: value"']] },
  { what: 'JSON without saying so, which is YAML', text: file('{"description": "flow"}'), skill: plain('flow') },

  // ---- YAML that means something
  { what: 'a folded text', text: file('description: >\n  first\n  second'), skill: plain('first second') },
  { what: 'a folded text without its last line end', text: file('description: >-\n  a\n\n  b'), skill: plain('a\nb') },
  { what: 'a literal text', text: file('description: |\n  first\n  second'), skill: plain('first\nsecond') },
  { what: 'a plain text over two lines', text: file('description: first\n  second'), skill: plain('first second') },
  { what: 'double quotes', text: file('description: "a: \\"b\\" \\u00e9"'), skill: plain('a: "b" é') },
  { what: 'single quotes', text: file("description: 'it''s: quoted'"), skill: plain("it's: quoted") },
  {
    what: 'quotes within the text',
    text: file('description: Use "quotes" and it\'s fine'),
    skill: plain('Use "quotes" and it\'s fine'),
  },
  { what: 'a comment after a value', text: file('name: odd # here\ndescription: short # not this'), skill: plain('short') },
  { what: 'a hash that is no comment', text: file('description: C#, F# and issue#12'), skill: plain('C#, F# and issue#12') },
  {
    what: 'a colon without a blank',
    text: file('description: see https://example.org:80/x'),
    skill: plain('see https://example.org:80/x'),
  },
  { what: 'a number for a name', text: file('name: 42\ndescription: number'), skill: { name: '42', ...plain('number') } },
  { what: 'a number for a description', text: file('description: 1.5'), skill: plain('1.5') },
  {
    what: 'a word that means something else in YAML',
    text: file('name: true\ndescription: no'),
    skill: { name: 'true', ...plain('no') },
  },
  { what: 'an anchor and its alias', text: file('description: &d anchored\nother: *d'), skill: plain('anchored') },
  { what: 'unknown and nested fields', text: file('description: d\nmetadata:\n  a: [1, {b: c}]\nx-y: z'), skill: plain('d') },
  { what: 'null for a name', text: file('name: ~\ndescription: d'), skill: plain('d') },
  { what: 'keys of every object', text: file('__proto__:\n  name: evil\nconstructor: x\ndescription: own'), skill: plain('own') },

  // ---- YAML that is not
  {
    what: 'a colon in a plain text',
    text: file('name: odd\ndescription: Use when: the user asks'),
    skill: plain('Use when: the user asks'),
    problems: [['warning', 3, 'taken as plain text']],
  },
  {
    what: 'a colon in the first of two lines',
    text: file('description: Use when: a\n  b and c\nname: odd'),
    skill: plain('Use when: a b and c'),
    problems: [['warning', 2, 'taken as plain text']],
  },
  {
    what: 'a colon beside fields that are no plain text',
    text: file('description: Does: this\nmetadata:\n  tags: [a, b]\ndisable-model-invocation: true'),
    skill: { hidden: true, ...plain('Does: this') },
    problems: [['warning', 2, '"description"']],
  },
  {
    what: 'a colon at the end',
    text: file('description: as follows:'),
    skill: plain('as follows:'),
    problems: [['warning', 2, 'taken as plain text']],
  },
  {
    what: 'tabs before nested fields',
    text: file('description: d\nmetadata:\n\tauthor: me\n\tyear: 2026'),
    skill: plain('d'),
    problems: [['warning', 3, 'indented with tabs']],
  },
  {
    what: 'a name nested by a tab, which is not the name of the skill',
    text: file('description: d\nmetadata:\n\tname: inner'),
    skill: plain('d'),
    problems: [['warning', 3, 'indented with tabs']],
  },
  {
    what: 'a second line that a tab indents',
    text: file('description: first\n\tsecond'),
    skill: plain('first second'),
    problems: [['warning', 2, 'indented with tabs']],
  },
  { what: 'a tab after the colon', text: file('description:\ttabbed'), skill: plain('tabbed') },
  {
    what: 'a tab and a colon in the text',
    text: file('description: a\tb: c'),
    skill: plain('a b: c'),
    problems: [['warning', 2, 'taken as plain text']],
  },
  {
    what: 'an unclosed quote',
    text: file('name: odd\ndescription: "never closed'),
    problems: [['error', 3, '"description" is not valid YAML']],
  },
  { what: 'an unclosed list', text: file('name: [odd\ndescription: d'), problems: [['error', 2, '"name" is not valid YAML']] },
  { what: 'an unclosed mapping', text: file('description: {a: : b'), problems: [['error', 2, 'not valid YAML']] },
  { what: 'an unknown tag', text: file('description: !!js/function "f"'), problems: [['error', 2, 'not valid YAML']] },
  { what: 'an alias of nothing', text: file('description: *nothing'), problems: [['error', 2, 'not valid YAML']] },
  {
    what: 'a value that begins with a percent sign',
    text: file('description: %d: x'),
    problems: [['error', 2, 'not valid YAML']],
  },
  { what: 'a value that begins with @', text: file('description: @author'), problems: [['error', 2, 'not valid YAML']] },
  { what: 'a value that begins with a backtick', text: file('description: `x`'), problems: [['error', 2, 'not valid YAML']] },
  { what: 'text that is no field', text: file('just words\ndescription: d: e'), problems: [['error', 2, 'not valid YAML']] },
  { what: 'a list', text: file('- description\n- d'), problems: [['error', 2, '"key: value"']] },
  { what: 'one word', text: file('description'), problems: [['error', 2, '"key: value"']] },
  {
    what: 'a field twice',
    text: file('description: first\ndescription: second'),
    skill: plain('first'),
    problems: [['warning', 3, 'there twice']],
  },
  { what: 'a control character', text: file('description: a\u001b[31mb'), problems: [['error', 2, 'non-printable']] },
  { what: 'a control character by its code', text: file('description: "a\\e[31mb"'), skill: plain('a [31mb') },

  // ---- what the specification says of the fields
  { what: 'no description', text: file('name: odd'), problems: [['error', 1, 'missing or blank']] },
  { what: 'a blank description', text: file('description: "  "'), problems: [['error', 2, 'missing or blank']] },
  { what: 'a list for a description', text: file('description: [a, b]'), problems: [['error', 2, 'must be a text']] },
  {
    what: 'a mapping for a description',
    text: file('description:\n  Use when: asked'),
    problems: [['error', 2, 'must be a text']],
  },
  {
    what: 'a list for a name',
    text: file('description: d\nname: [a]'),
    skill: plain('d'),
    problems: [['warning', 3, 'must be a text']],
  },
  {
    what: 'capitals and low lines in a name',
    text: file('name: Bad_Name\ndescription: d'),
    skill: { name: 'Bad_Name', ...plain('d') },
    problems: [['warning', 2, 'small letters']],
  },
  {
    what: 'two dashes in a name',
    text: file('name: a--b\ndescription: d'),
    skill: { name: 'a--b', ...plain('d') },
    problems: [['warning', 2, 'two in a row']],
  },
  {
    what: 'a dash at the end of a name',
    text: file('name: a-\ndescription: d'),
    skill: { name: 'a-', ...plain('d') },
    problems: [['warning', 2, 'begin or end']],
  },
  { what: 'another name than the folder', text: file('name: other\ndescription: d'), skill: { name: 'other', ...plain('d') } },
  {
    what: 'a long name',
    text: file(`name: ${'n'.repeat(65)}\ndescription: d`),
    skill: { name: 'n'.repeat(65), ...plain('d') },
    problems: [['warning', 2, '65 characters']],
  },
  {
    what: 'a long description',
    text: file(`description: ${'d'.repeat(1025)}`),
    skill: plain('d'.repeat(1025)),
    problems: [['warning', 2, '1025 characters']],
  },
  {
    what: 'a long compatibility',
    text: file(`description: d\ncompatibility: ${'c'.repeat(501)}`),
    skill: plain('d'),
    problems: [['warning', 3, '501 characters']],
  },
  {
    what: 'a text for metadata',
    text: file('description: d\nmetadata: mine'),
    skill: plain('d'),
    problems: [['warning', 3, '"metadata"']],
  },
  { what: 'tools as a list', text: file('description: d\nallowed-tools: [Read, Bash]'), skill: plain('d') },
  {
    what: 'a hidden skill',
    text: file('description: d\ndisable-model-invocation: true'),
    skill: { hidden: true, ...plain('d') },
  },
  {
    what: 'a hidden skill that says yes',
    text: file('description: d\ndisable-model-invocation: yes'),
    skill: { hidden: true, ...plain('d') },
    problems: [['warning', 3, 'true or false']],
  },
  { what: 'a slash in the name', text: file('name: a/b\ndescription: d'), problems: [['error', 2, "can't be the name"]] },
  { what: 'a backslash in the name', text: file('name: a\\b\ndescription: d'), problems: [['error', 2, "can't be the name"]] },
  { what: 'two dots for a name', text: file('name: ..\ndescription: d'), problems: [['error', 2, "can't be the name"]] },
  {
    what: 'a path for a name',
    text: file('name: ../../etc/passwd\ndescription: d'),
    problems: [['error', 2, "can't be the name"]],
  },
  { what: 'a blank in the name', text: file('name: two words\ndescription: d'), problems: [['error', 2, "can't be the name"]] },
  {
    what: 'a control character in the name',
    text: file('name: "a\\ab"\ndescription: d'),
    problems: [['error', 2, "can't be the name"]],
  },
  { what: 'tags in the texts', text: file('description: </skill><b>&"\''), skill: plain('</skill><b>&"\'') },
];
