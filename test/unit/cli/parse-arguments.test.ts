import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPTIONS, type OptionRow, optionNames } from '../../../core/modes/cli/option-table.js';
import { type ParsedArguments, parseArguments, unknownOptionError } from '../../../core/modes/cli/parse-arguments.js';
import { SUBCOMMANDS } from '../../../core/modes/cli/subcommands.js';

function parsed(argv: readonly string[], flags?: Parameters<typeof parseArguments>[1]): ParsedArguments {
  const result = parseArguments(argv, flags);
  if (!result.ok) throw new Error(`refused: ${result.error.message}`);
  return result;
}

function refusal(argv: readonly string[], flags?: Parameters<typeof parseArguments>[1]): { code: string; message: string } {
  const result = parseArguments(argv, flags);
  if (result.ok) throw new Error(`accepted: ${JSON.stringify(result)}`);
  return result.error;
}

describe('options', () => {
  const cases: [argv: string[], expected: Record<string, unknown>][] = [
    [['--mode', 'rpc'], { mode: 'rpc' }],
    [['--mode=json'], { mode: 'json' }],
    [['--mode', 'text', '--mode', 'rpc'], { mode: 'rpc' }],
    [['-p'], { print: true }],
    [['--print'], { print: true }],
    [[], { print: false, mode: undefined, tools: undefined, listModels: undefined }],
    [['--seq'], { seq: true }],
    [['--export', 'in.jsonl'], { export: 'in.jsonl' }],
    [['--provider', 'anthropic', '--model', 'sonnet:high'], { provider: 'anthropic', model: 'sonnet:high' }],
    [['--model', 'openai/gpt-5'], { model: 'openai/gpt-5' }],
    [['--model=a=b'], { model: 'a=b' }],
    [['--api-key', 'sk-x'], { apiKey: 'sk-x' }],
    [['--api-key', '-begins-with-a-dash'], { apiKey: '-begins-with-a-dash' }],
    [['--api-key=--begins-with-two'], { apiKey: '--begins-with-two' }],
    [['--thinking', 'xhigh'], { thinking: 'xhigh' }],
    [['--models', 'claude-*, gpt-5'], { models: ['claude-*', 'gpt-5'] }],
    [['--list-models'], { listModels: true }],
    [['--list-models', 'thinker'], { listModels: 'thinker' }],
    [['--list-models=thinker'], { listModels: 'thinker' }],
    [['--list-models', '--offline'], { listModels: true, offline: true }],
    [['--list-models', '@f'], { listModels: true }],
    [['-c'], { continue: true }],
    [['--continue'], { continue: true }],
    [['--session', 'x.jsonl'], { session: 'x.jsonl' }],
    [['--session-id', 'my-id_1.0'], { sessionId: 'my-id_1.0' }],
    [['--fork', 'ffff'], { fork: 'ffff' }],
    [['--session-dir', '/tmp/d'], { sessionDir: '/tmp/d' }],
    [['--no-session'], { noSession: true }],
    [['-n', 'my task'], { name: 'my task' }],
    [['--name', 'my task'], { name: 'my task' }],
    [['-n=my task'], { name: 'my task' }],
    [['--tools', 'read,grep,,find '], { tools: ['read', 'grep', 'find'] }],
    [['-t', 'read', '-t', 'bash'], { tools: ['read', 'bash'] }],
    [['--tools', ''], { tools: [] }],
    [['--exclude-tools', 'bash', '-xt', 'write'], { excludeTools: ['bash', 'write'] }],
    [['-nbt'], { noBuiltinTools: true, noTools: false }],
    [['-nt'], { noTools: true }],
    [['-e', 'a.ts', '--extension', 'b.ts'], { extension: ['a.ts', 'b.ts'] }],
    [['-e', 'with,comma.ts'], { extension: ['with,comma.ts'] }],
    [
      ['--no-extensions', '--no-skills', '--no-prompt-templates', '--no-themes'],
      { noExtensions: true, noSkills: true, noPromptTemplates: true, noThemes: true },
    ],
    [['-ne', '-ns', '-np', '-nc'], { noExtensions: true, noSkills: true, noPromptTemplates: true, noContextFiles: true }],
    [['--skill', 's', '--prompt-template', 'p', '--theme', 't'], { skill: ['s'], promptTemplate: ['p'], theme: ['t'] }],
    [['--system-prompt', ''], { systemPrompt: '' }],
    [['--system-prompt', '- be brief'], { systemPrompt: '- be brief' }],
    [['--append-system-prompt', 'a', '--append-system-prompt', 'b\nc'], { appendSystemPrompt: ['a', 'b\nc'] }],
    [['--append-system-prompt=--shout'], { appendSystemPrompt: ['--shout'] }],
    [['-a'], { approve: true, noApprove: false }],
    [['--approve', '-na'], { approve: false, noApprove: true }],
    [['--no-approve', '--approve'], { approve: true, noApprove: false }],
    [['--max-turns', '5'], { maxTurns: 5 }],
    [['--max-cost', '0.25'], { maxCost: 0.25 }],
    [['--max-cost=.5'], { maxCost: 0.5 }],
    [['--dialog-timeout', '30000', '--no-dialogs'], { dialogTimeout: 30000, noDialogs: true }],
    [['--offline', '--verbose'], { offline: true, verbose: true }],
    [['--tui-mode', 'fullscreen'], { tuiMode: 'fullscreen' }],
    [['-h'], { help: true }],
    [['-v'], { version: true }],
  ];
  it.each(cases)('%j', (argv, expected) => {
    const result = parsed(argv);
    expect(result.options).toMatchObject(expected);
    expect(result).toMatchObject({ unknown: [], warnings: [] });
  });

  it('reads the whole line of a real host at once', () => {
    const argv = [
      '--mode',
      'rpc',
      '--session',
      '/s/x.jsonl',
      '--provider',
      'p',
      '--model',
      'p/m',
      '--thinking',
      'low',
      '-n',
      'N',
      '-e',
      '/a.ts',
      '--no-themes',
      '--approve',
    ];
    const { options, messages } = parsed(argv);
    expect(options).toMatchObject({
      mode: 'rpc',
      session: '/s/x.jsonl',
      provider: 'p',
      model: 'p/m',
      thinking: 'low',
      name: 'N',
      extension: ['/a.ts'],
      noThemes: true,
      approve: true,
    });
    expect(messages).toEqual([]);
  });
});

describe('messages and files', () => {
  const cases: [argv: string[], messages: string[], files: string[]][] = [
    [['hi'], ['hi'], []],
    [['-p', 'one', 'two'], ['one', 'two'], []],
    [['one', '--offline', 'two'], ['one', 'two'], []],
    [['@a.txt', 'x', '@my file.md'], ['x'], ['a.txt', 'my file.md']],
    [['@@odd'], [], ['@odd']],
    [['@'], ['@'], []],
    [[''], [''], []],
    [['-'], ['-'], []],
    [['-5', '-1 apple'], ['-5', '-1 apple'], []],
    [['- a list\n- of things'], ['- a list\n- of things'], []],
    [['---', '---\ntitle: x'], ['---', '---\ntitle: x'], []],
    [['-p', '--', '--mode', '@x', '-p', '--'], ['--mode', '@x', '-p', '--'], []],
    [['say "hi" $HOME `x` 🚀\n'], ['say "hi" $HOME `x` 🚀\n'], []],
    [['--frobnicate the thing please'], ['--frobnicate the thing please'], []],
    [['-p', 'list'], ['list'], []],
  ];
  it.each(cases)('%j', (argv, messages, fileArgs) => {
    expect(parsed(argv)).toMatchObject({ messages, fileArgs, unknown: [] });
  });
});

describe('wrong calls', () => {
  const cases: [argv: string[], code: string, says: string | RegExp][] = [
    [['--mode'], 'MISSING_VALUE', '--mode needs a value: one of text, json, rpc'],
    [['--mode', '--offline'], 'MISSING_VALUE', '--offline is read as an option'],
    [['--mode', 'xml'], 'INVALID_VALUE', '--mode must be one of text, json, rpc, not xml'],
    [['--mode', 'RPC'], 'INVALID_VALUE', 'did you mean rpc?'],
    [['--mode='], 'INVALID_VALUE', '""'],
    [['--session'], 'MISSING_VALUE', '--session needs a value: <path|id>'],
    [['--session', '-p', 'hi'], 'MISSING_VALUE', '--session'],
    [['--session', ' '], 'MISSING_VALUE', 'not empty'],
    [['--model', '--frobnicate'], 'MISSING_VALUE', '--model=…'],
    [['--name'], 'MISSING_VALUE', '--name'],
    [['-n', ''], 'MISSING_VALUE', '-n'],
    [['-e', ''], 'MISSING_VALUE', '-e'],
    [['--api-key', ''], 'MISSING_VALUE', '--api-key'],
    [['--system-prompt', '--', 'x'], 'MISSING_VALUE', '--system-prompt'],
    [['--thinking'], 'MISSING_VALUE', '--thinking'],
    [['--print=yes'], 'UNEXPECTED_VALUE', '--print takes no value'],
    [['-p='], 'UNEXPECTED_VALUE', '-p takes no value'],
    [['--session-id', '../../evil'], 'INVALID_VALUE', '../../evil'],
    [['--session-id', 'a..'], 'INVALID_VALUE', '--session-id'],
    [['--session-id', 'a\nb'], 'INVALID_VALUE', 'a\\u000ab'],
    [['--max-turns', '0'], 'INVALID_VALUE', 'whole number of at least 1'],
    [['--max-turns', '1.5'], 'INVALID_VALUE', '1.5'],
    [['--max-turns', '-3'], 'INVALID_VALUE', '-3'],
    [['--max-turns', '0x10'], 'INVALID_VALUE', '0x10'],
    [['--max-turns', ' 5'], 'INVALID_VALUE', '--max-turns'],
    [['--max-turns', '99999999999999999999'], 'INVALID_VALUE', '--max-turns'],
    [['--max-cost', 'Infinity'], 'INVALID_VALUE', 'Infinity'],
    [['--max-cost', '1e3'], 'INVALID_VALUE', '1e3'],
    [['--max-cost', 'NaN'], 'INVALID_VALUE', 'NaN'],
    [['--dialog-timeout', '3000000000'], 'INVALID_VALUE', 'from 1 to 2147483647'],
    [['--resume'], 'NEEDS_TERMINAL', '--continue'],
    [['-r'], 'NEEDS_TERMINAL', '-r'],
    [['--model sonnet'], 'INVALID_VALUE', 'two arguments'],
    [['-model', 'x'], 'UNKNOWN_OPTION', 'did you mean --model?'],
    [['-z'], 'UNKNOWN_OPTION', '-z'],
    [['-pc'], 'UNKNOWN_OPTION', '-pc'],
    [['-x\u001b[31mred'], 'UNKNOWN_OPTION', '\\u001b[31mred'],
  ];
  it.each(cases)('%j is refused in one line', (argv, code, says) => {
    const error = refusal(argv);
    expect(error.code).toBe(code);
    expect(error.message).toContain(says);
    expect(error.message).not.toMatch(/[\n\r\u001b]/);
  });

  it('never shows a key', () => {
    expect(parsed(['--api-key', 'sk-secret']).warnings).toEqual([]);
    expect(refusal(['--api-key', 'sk-secret', '--mode']).message).not.toContain('sk-secret');
  });

  it('takes a bad thinking level for none, with a warning', () => {
    const result = parsed(['--thinking', 'hgih', 'hi']);
    expect(result.options.thinking).toBeUndefined();
    expect(result.messages).toEqual(['hi']);
    expect(result.warnings).toEqual([expect.stringContaining('did you mean high?')]);
  });
});

describe('options that an extension may own', () => {
  it('keeps an unknown option with what could be its value', () => {
    const { unknown, messages } = parsed(['--plan', 'fast', '--deep=very', '--last', '--offline']);
    expect(unknown).toEqual([
      { spelling: '--plan', name: 'plan', next: 'fast' },
      { spelling: '--deep', name: 'deep', value: 'very' },
      { spelling: '--last', name: 'last' },
    ]);
    expect(messages).toEqual(['fast']);
  });

  it('gives claimed options to their owner and the rest back', () => {
    const flags = [
      { name: 'plan', type: 'boolean' },
      { name: 'depth', type: 'string' },
    ] as const;
    const result = parsed(['--plan', 'fast', '--depth', 'some value', '--other', '--depth=3'], flags);
    expect(result.flagValues).toEqual(
      new Map<string, unknown>([
        ['plan', true],
        ['depth', '3'],
      ]),
    );
    expect(result.messages).toEqual(['fast']);
    expect(result.unknown.map((option) => option.spelling)).toEqual(['--other']);
  });

  it('refuses a value for a boolean flag, and a string flag without one', () => {
    const flags = [
      { name: 'plan', type: 'boolean' },
      { name: 'depth', type: 'string' },
    ] as const;
    expect(refusal(['--plan=x'], flags)).toMatchObject({ code: 'UNEXPECTED_VALUE' });
    expect(refusal(['--depth', '--offline'], flags)).toMatchObject({ code: 'MISSING_VALUE' });
  });

  it('does not let an extension take over an option of ours', () => {
    const result = parsed(['--model', 'm'], [{ name: 'model', type: 'boolean' }]);
    expect(result.options.model).toBe('m');
    expect(result.flagValues.size).toBe(0);
  });

  it.each([
    ['--modle', '--model'],
    ['--no_session', '--no-session'],
    ['--noSession', '--no-session'],
    ['--THINKING', '--thinking'],
    ['--append-system', '--append-system-prompt'],
    ['--sytem-prompt', '--system-prompt'],
    ['--pln', '--plan'],
  ])('suggests for %s the option %s', (typed, meant) => {
    const error = unknownOptionError(typed, [{ name: 'plan', type: 'boolean' }]);
    expect(error).toEqual({ code: 'UNKNOWN_OPTION', message: `Unknown option: ${typed} (did you mean ${meant}?)` });
  });

  it('suggests nothing when nothing is near', () => {
    expect(unknownOptionError('--frobnicate').message).toBe('Unknown option: --frobnicate (see --help)');
    expect(unknownOptionError(`--${'x'.repeat(100_000)}`).message.length).toBeLessThan(120);
  });

  it('is not fooled by names of object members', () => {
    const result = parsed(['--__proto__=x', '--constructor', '--hasOwnProperty=1'], [{ name: '__proto__', type: 'string' }]);
    expect(result.flagValues.get('__proto__')).toBe('x');
    expect(result.unknown.map((option) => option.name)).toEqual(['constructor', 'hasOwnProperty']);
    expect(({} as Record<string, unknown>).x).toBeUndefined();
  });
});

describe('subcommands', () => {
  it('takes a first word that is a subcommand, and leaves the rest to it', () => {
    expect(parsed(['auth', 'set', '--what', '-x'])).toMatchObject({
      command: { name: 'auth', args: ['set', '--what', '-x'] },
      messages: [],
    });
  });

  it('takes the same word elsewhere for a prompt', () => {
    expect(parsed(['--offline', 'list'])).toMatchObject({ messages: ['list'] });
    expect(parsed(['--offline', 'list']).command).toBeUndefined();
    expect(parsed(['list all files']).command).toBeUndefined();
  });

  it('does not name one after a member of every object', () => {
    expect(parsed(['constructor']).command).toBeUndefined();
    expect(new Set(SUBCOMMANDS.map((row) => row.name)).size).toBe(SUBCOMMANDS.length);
  });
});

describe('the table', () => {
  const rows: readonly OptionRow[] = OPTIONS;

  it('spells every option once', () => {
    const spellings = rows.flatMap((row) => [`--${row.name}`, ...(row.aliases ?? [])]);
    expect(new Set(spellings).size).toBe(spellings.length);
  });

  it('explains every option that does something', () => {
    expect(rows.filter((row) => !row.terminalOnly && row.help === '').map((row) => row.name)).toEqual([]);
    expect(rows.filter((row) => row.kind !== 'flag' && !row.terminalOnly && !row.valueName).map((row) => row.name)).toEqual([]);
  });

  it('names only switches that exist as overridden', () => {
    for (const row of rows)
      for (const other of row.overrides ?? []) expect(rows.find((r) => r.name === other)?.kind).toBe('flag');
  });

  it('lists long names for the capabilities, without those that do nothing here', () => {
    expect(optionNames()).toEqual(expect.arrayContaining(['--mode', '--seq', '--no-dialogs', '--max-turns']));
    expect(optionNames()).not.toContain('--tui-mode');
  });
});

it('never throws and never loses an argument, whatever it is given', () => {
  const word = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      ...(OPTIONS as readonly OptionRow[]).flatMap((row) => [`--${row.name}`, `--${row.name}=v`, ...(row.aliases ?? [])]),
    ),
    fc.constantFrom('--', '-', '@', '@f', '--x', '--x=1', '', '\u0000', '--=', '-=', '--=v'),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 12 }), (argv) => {
      const result = parseArguments(argv);
      if (!result.ok) {
        expect(result.error.message).not.toMatch(/[\n\r\u0000]/);
        return;
      }
      if (result.command) return;
      // After "--" everything is a message.
      const end = argv.indexOf('--');
      if (end >= 0)
        expect(result.messages.slice(-(argv.length - end - 1) || result.messages.length)).toEqual(argv.slice(end + 1));
    }),
    { numRuns: 500 },
  );
});
