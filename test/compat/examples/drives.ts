import type { FakeReply } from '../../support/fake-llm/server.js';
import type { Json } from '../../support/pi-process.js';
import type { Command, Difference, Drive } from './drive.js';

let serial = 0;
/** Calls of tools in one answer, and what the model says once it has the results. */
const calls = (...all: [name: string, args: object][]): FakeReply[] => [
  { text: 'I use a tool.', toolCalls: all.map(([name, args]) => ({ id: `call_${name}_${serial++}`, name, args })) },
  { text: 'Done.' },
];
const call = (name: string, args: object): FakeReply[] => calls([name, args]);
/** How a model is asked for a summary is each program's own. */
const SUMMARY: Difference = {
  part: 'requests',
  there: /<conversation>/,
  here: /<conversation>/,
  because: 'own words for a summary',
};
const HOME = '../home/.pi/agent';
/** Forks from the message at `index` of those that `get_fork_messages` gave last. */
const fork = (records: readonly Json[], index: number): Command => {
  const messages = records.findLast(({ command }) => command === 'get_fork_messages')?.data.messages;
  return { type: 'fork', entryId: messages[index].entryId };
};

export const DRIVES: Readonly<Record<string, Drive | Drive[]>> = {
  'auto-commit-on-exit.ts': {
    git: true,
    steps: [{ command: { type: 'bash', command: 'echo more >> notes.txt' } }],
    after: 'git log --format=%B; git status --short',
  },
  'bash-spawn-hook.ts': {
    llm: call('bash', { command: 'env | cut -d= -f1 | grep -i hook; pwd' }),
    steps: [{ prompt: 'Where are you?' }],
  },
  'bookmark.ts': {
    steps: [
      { prompt: '/bookmark the start' },
      { prompt: '/bookmark' },
      { prompt: '/unbookmark' },
      { command: { type: 'get_tree' } },
    ],
  },
  'border-status-editor.ts': {
    llm: [{ text: 'Fine.' }],
    steps: [{ command: { type: 'set_thinking_level', level: 'high' } }, { prompt: 'And?' }],
  },
  'built-in-tool-renderer.ts': {
    llm: calls(
      ['read', { path: 'notes.txt' }],
      ['bash', { command: 'exit 3' }],
      ['edit', { path: 'notes.txt', edits: [{ oldText: 'two', newText: '2' }] }],
      ['write', { path: 'new.txt', content: 'new\n' }],
    ),
    steps: [{ prompt: 'Use them all' }],
    after: 'cat notes.txt new.txt',
    unspoken: [/\(no output\)\\n\\n(?=Command exited)/g],
  },
  'claude-rules.ts': {
    files: { '.claude/rules/style.md': '# Style\nBe brief.\n', '.claude/rules/deep/tests.md': '# Tests\n' },
    systemPrompt: ['.claude/rules', 'style.md', 'tests.md'],
  },
  'commands.ts': {
    steps: [{ prompt: '/commands' }, { prompt: '/commands extension' }],
    answers: ['#1', null],
    differences: [
      { part: 'ui', there: /"\/llama/, here: /"\/commands/, because: 'it brings an extension that manages a local model server' },
    ],
  },
  'confirm-destructive.ts': {
    llm: [{ text: 'Again.' }],
    steps: [
      { command: { type: 'new_session' } },
      { command: { type: 'get_fork_messages' } },
      { command: (records) => fork(records, 0) },
      { command: { type: 'new_session' } },
      { prompt: 'Hello again' },
    ],
    answers: [false, '#2', true],
    differences: [
      {
        part: 'responses',
        there: /"fork","data":\{"cancelled":true\}/,
        here: /"cancelled":true,"text":""/,
        because: 'the protocol gives a text with every answer to fork',
      },
    ],
  },
  'custom-compaction.ts': {
    settings: { compaction: { keepRecentTokens: 1 } },
    llm: [{ text: 'More.' }, { text: 'The summary.' }, { text: 'The rest.' }],
    differences: [SUMMARY],
    steps: [{ prompt: 'Tell me more' }, { command: { type: 'compact' } }],
  },
  'custom-footer.ts': { git: true, steps: [{ prompt: '/footer' }, { prompt: '/footer' }] },
  'custom-header.ts': { steps: [{ prompt: '/builtin-header' }] },
  'custom-provider-anthropic': {
    files: { [`${HOME}/auth.json`]: '{"custom-anthropic":{"type":"api_key","key":"x"}}' },
    steps: [{ command: { type: 'get_available_models' } }],
  },
  'custom-provider-gitlab-duo': {
    files: { [`${HOME}/auth.json`]: '{"gitlab-duo":{"type":"api_key","key":"x"}}' },
    steps: [{ command: { type: 'get_available_models' } }],
  },
  'dirty-repo-guard.ts': {
    git: true,
    steps: [
      { command: { type: 'new_session' } },
      { command: { type: 'bash', command: 'echo more >> notes.txt' } },
      { command: { type: 'new_session' } },
      { command: { type: 'get_fork_messages' } },
      { command: { type: 'new_session' } },
    ],
    answers: [null, '#1'],
  },
  'doom-overlay': { steps: [{ prompt: '/doom-overlay' }] },
  'dynamic-resources': {
    llm: [{ text: 'Yes.' }, { text: 'Yes.' }],
    steps: [
      { prompt: '/dynamic', runs: 1 },
      { prompt: '/skill:dynamic-resources', runs: 1 },
    ],
    systemPrompt: ['dynamic-resources'],
    unspoken: [/References are relative to|Paths in this skill count from/g, /(?<=dynamic-resources)\.(?=\\n)/g],
  },
  'dynamic-tools.ts': {
    llm: [...call('echo_session', { message: 'one' }), ...call('echo_more', { message: 'two' })],
    steps: [
      { prompt: '/add-echo-tool echo_more' },
      { prompt: '/add-echo-tool Not A Name' },
      { prompt: 'Echo' },
      { prompt: 'Echo more' },
    ],
    systemPrompt: ['echo_session', 'echo_more'],
  },
  'entry-renderer.ts': { steps: [{ prompt: '/status-card' }, { command: { type: 'get_entries' } }] },
  'event-bus.ts': { steps: [{ prompt: '/emit something happened' }] },
  // The state before the last prompt is kept, and offered when that prompt is forked from.
  'git-checkpoint.ts': {
    git: true,
    llm: [...call('bash', { command: 'echo changed > notes.txt' }), ...call('bash', { command: 'echo again > notes.txt' })],
    steps: [
      { prompt: 'Change it' },
      { prompt: 'Change it again' },
      { command: { type: 'get_fork_messages' } },
      { command: (records) => fork(records, 2) },
    ],
    answers: ['#1'],
    after: 'cat notes.txt',
  },
  'git-merge-and-resolve.ts': { git: true },
  'github-issue-autocomplete.ts': { git: true },
  gondolin: { steps: [{ prompt: '/gondolin' }] },
  'handoff.ts': { llm: [{ text: 'The context.' }], steps: [{ prompt: '/handoff' }, { prompt: '/handoff write the tests' }] },
  'hello.ts': {
    llm: [...call('hello', { name: 'World' }), ...call('hello', {})],
    steps: [{ prompt: 'Greet' }, { prompt: 'Greet nobody' }],
    unspoken: [/must have required properties name|is required/g],
  },
  'hidden-thinking-label.ts': { steps: [{ prompt: '/thinking-label Pondering' }, { prompt: '/thinking-label' }] },
  'inline-bash.ts': { llm: [{ text: 'Yes.' }], steps: [{ prompt: 'Is it !{echo forty-two} or !{exit 1}?' }] },
  'input-transform.ts': {
    llm: [{ text: 'Yes.' }],
    steps: [{ prompt: 'ping', runs: 0 }, { prompt: 'time', runs: 0 }, { prompt: '?quick is it?' }],
  },
  // The tool waits for a file, so that the second text comes while the agent works.
  'input-transform-streaming.ts': {
    llm: calls(['bash', { command: 'until [ -e go ]; do sleep 0.05; done' }]),
    steps: [
      { prompt: 'Is notes.txt long?', runs: 0 },
      { until: ({ type }) => type === 'tool_execution_start' },
      { prompt: 'And short?', runs: 0, streamingBehavior: 'steer' },
      { command: { type: 'bash', command: 'touch go' }, runs: 1 },
    ],
  },
  'interactive-shell.ts': {
    steps: [{ command: { type: 'bash', command: 'echo plain' } }, { command: { type: 'bash', command: 'htop --version' } }],
  },
  'kimi-deferred-tools.ts': {
    llm: [
      ...call('tool_search', { query: 'weather' }),
      ...call('tool_search', { query: 'calc' }),
      ...call('Calculator', { expr: '6*7' }),
    ],
    steps: [{ prompt: 'Find a tool' }, { prompt: 'Find another' }, { prompt: 'Use it' }],
    differences: [
      {
        part: 'events',
        there: /"addedToolNames":\["Calculator"\]/,
        here: /Found 1 matching tool/,
        because: 'a model that loads tools late is told there which were added; here it gets all tools that are active',
      },
    ],
  },
  'message-renderer.ts': {
    llm: [{ text: 'Yes.' }],
    steps: [{ prompt: '/status all is well' }, { prompt: '/status warn disk is full' }, { prompt: 'Seen?' }],
  },
  // find and grep run programs there that may not be installed.
  'minimal-mode.ts': { llm: calls(['ls', {}], ['read', { path: 'notes.txt' }]), steps: [{ prompt: 'Look around' }] },
  'model-status.ts': {
    steps: [{ command: { type: 'set_model', provider: 'fakechat', modelId: 'plain' } }, { command: { type: 'get_state' } }],
  },
  'overlay-qa-tests.ts': {
    steps: [{ prompt: '/overlay-anchors' }, { prompt: '/overlay-stack' }, { prompt: '/overlay-passive' }],
  },
  'overlay-test.ts': { steps: [{ prompt: '/overlay-test' }] },
  'permission-gate.ts': {
    llm: calls(
      ['bash', { command: 'rm -rf notes.txt' }],
      ['bash', { command: 'sudo true' }],
      ['bash', { command: 'echo harmless' }],
    ),
    steps: [{ prompt: 'Clean up' }],
    answers: ['#1', '#2'],
    after: 'ls',
  },
  'pirate.ts': {
    llm: [{ text: 'Arr.' }, { text: 'Yes.' }],
    steps: [{ prompt: '/pirate' }, { prompt: 'Who?' }, { prompt: '/pirate' }, { prompt: 'Who now?' }],
    systemPrompt: ['pirate', 'PIRATE'],
  },
  'plan-mode': [
    {
      args: ['--plan'],
      llm: [
        { text: 'Plan:\n1. Read the notes\n2. Count the lines\n' },
        ...calls(['bash', { command: 'wc -l < notes.txt' }]).slice(0, 1),
        { text: 'Read. [DONE:1] Counted. [DONE:2]' },
        { text: 'I have started, and am through.' },
        { text: 'All is done.' },
      ],
      steps: [{ prompt: '/todos' }, { prompt: 'Make a plan' }, { prompt: '/todos' }],
      answers: ['#1'],
    },
    {
      llm: calls(['bash', { command: 'rm notes.txt' }], ['bash', { command: 'cat notes.txt' }]),
      steps: [{ prompt: '/plan' }, { prompt: 'Try to remove it' }, { prompt: '/plan' }],
      answers: ['#2'],
      after: 'ls',
    },
  ],
  'preset.ts': {
    files: {
      [`${HOME}/presets.json`]: JSON.stringify({
        careful: { provider: 'fake', model: 'plain', thinkingLevel: 'off', tools: ['read'], instructions: 'Take great care.' },
        quick: { tools: ['read', 'bash'] },
      }),
    },
    llm: [{ text: 'One.' }, { text: 'Two.' }],
    args: ['--preset', 'quick'],
    steps: [{ prompt: '/preset careful' }, { prompt: 'One' }, { prompt: '/preset' }, { prompt: 'Two' }],
    answers: ['#2'],
    systemPrompt: ['Take great care.'],
  },
  'project-trust.ts': { files: { '.pi/settings.json': '{}', '.pi/prompts/own.md': 'Mine.\n' }, answers: ['#1'] },
  'prompt-customizer.ts': { args: ['--tools', 'read,grep'], systemPrompt: ['grep', 'Tool', '##'] },
  'protected-paths.ts': {
    llm: calls(
      ['write', { path: '.env', content: 'A=1' }],
      ['edit', { path: 'node_modules/a.js', edits: [{ oldText: 'a', newText: 'b' }] }],
      ['write', { path: 'free.txt', content: 'free' }],
    ),
    steps: [{ prompt: 'Write' }],
    after: 'ls -A',
  },
  'provider-payload.ts': { files: { '.pi/keep.txt': '' }, after: 'grep -c . .pi/provider-payload.log > /dev/null; ls .pi' },
  'qna.ts': { llm: [{ text: 'Q: Which one?\nA: ' }], steps: [{ prompt: '/qna' }] },
  'question.ts': {
    llm: call('question', { question: 'Which?', options: [{ label: 'One' }, { label: 'Two', description: 'the second' }] }),
    steps: [{ prompt: 'Ask me' }],
    answers: ['#2'],
  },
  'questionnaire.ts': {
    llm: call('questionnaire', { questions: [{ id: 'a', prompt: 'Which?', options: [{ value: '1', label: 'One' }] }] }),
    steps: [{ prompt: 'Ask me' }],
    answers: ['#1'],
  },
  'reload-runtime.ts': {
    llm: call('reload_runtime', {}),
    steps: [{ prompt: '/reload-runtime' }, { command: { type: 'get_commands' } }],
  },
  'rpc-demo.ts': {
    llm: call('bash', { command: 'rm -rf nothing' }),
    steps: [
      { prompt: '/rpc-input' },
      { prompt: '/rpc-editor' },
      { prompt: '/rpc-prefill' },
      { prompt: 'Remove nothing' },
      { command: { type: 'new_session' } },
    ],
    answers: ['typed', 'edited\ntext', '#1', true],
    differences: [
      { part: 'ui', there: /new session|Loaded and ready|Turns: 0/, because: 'new_session starts the new instance twice there' },
    ],
  },
  sandbox: { steps: [{ prompt: '/sandbox' }, { command: { type: 'bash', command: 'echo inside' } }] },
  'send-user-message.ts': {
    llm: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }, { text: 'Four.' }],
    steps: [
      { prompt: '/ask the first', runs: 1 },
      { prompt: '/askwith the second', runs: 1 },
      { prompt: '/steer the third', runs: 1 },
      { prompt: '/followup the fourth', runs: 1 },
      { prompt: '/ask' },
    ],
  },
  'session-name.ts': {
    steps: [{ prompt: '/session-name' }, { prompt: '/session-name A good name' }, { prompt: '/session-name' }],
  },
  'shutdown-command.ts': [
    { steps: [{ prompt: '/quit' }], endsItself: true },
    { llm: call('deploy_and_exit', { environment: 'staging' }), steps: [{ prompt: 'Deploy' }], endsItself: true },
  ],
  'snake.ts': { steps: [{ prompt: '/snake' }] },
  'space-invaders.ts': { steps: [{ prompt: '/invaders' }] },
  'ssh.ts': {
    llm: calls(['read', { path: 'notes.txt' }], ['bash', { command: 'echo here' }]),
    steps: [{ prompt: 'Look' }, { command: { type: 'bash', command: 'echo by hand' } }],
  },
  'structured-output.ts': {
    llm: [
      {
        toolCalls: [{ id: 'call_s', name: 'structured_output', args: { headline: 'H', summary: 'S', actionItems: ['a', 'b'] } }],
      },
    ],
    steps: [{ prompt: 'Give it to me structured' }],
  },
  subagent: {
    entry: 'subagent/index.ts',
    files: {
      [`${HOME}/agents/scout.md`]:
        '---\nname: scout\ndescription: Looks around\ntools: read, bash\nmodel: fake/plain\n---\nYou look around.\n',
    },
    llm: [
      { toolCalls: [{ id: 'call_a', name: 'subagent', args: { agent: 'scout', task: 'Look around' } }] },
      { toolCalls: [{ id: 'call_b', name: 'bash', args: { command: 'cat notes.txt' } }] },
      { text: 'I saw three lines.' },
      { text: 'The scout saw three lines.' },
      ...call('subagent', { agent: 'nobody', task: 'Nothing' }),
    ],
    steps: [{ prompt: 'Send the scout' }, { prompt: 'Send nobody' }],
  },
  'summarize.ts': { llm: [{ text: 'A summary.' }], steps: [{ prompt: '/summarize' }] },
  'system-prompt-header.ts': { unspoken: [/\d+(?= chars)/g] },
  'tic-tac-toe.ts': {
    llm: [
      ...calls(['tic_tac_toe', { action: 'move_left' }], ['tic_tac_toe', { action: 'play' }], ['tic_tac_toe_see_board', {}]),
      { text: 'Your turn.' },
    ],
    steps: [{ prompt: '/tic-tac-toe' }, { prompt: 'Play' }],
  },
  'timed-confirm.ts': {
    steps: [{ prompt: '/timed' }, { prompt: '/timed-select' }, { prompt: '/timed-signal' }, { prompt: '/timed-signal' }],
    answers: [true, '#2', true, false],
  },
  // How many frames of its animation are shown is a matter of time.
  'titlebar-spinner.ts': { unspoken: [/^.*[⠀-⣿].*$/] },
  'todo.ts': {
    llm: calls(
      ['todo', { action: 'add', text: 'Buy milk' }],
      ['todo', { action: 'add' }],
      ['todo', { action: 'toggle', id: 1 }],
      ['todo', { action: 'list' }],
    ),
    steps: [{ prompt: 'Todo' }, { prompt: '/todos' }],
  },
  'tool-override.ts': {
    files: { '.env': 'SECRET=1\n' },
    llm: calls(['read', { path: 'notes.txt' }], ['read', { path: '.env' }], ['read', { path: 'notes.txt', offset: 2, limit: 1 }]),
    steps: [{ prompt: 'Read' }, { prompt: '/read-log' }],
  },
  'tools.ts': { steps: [{ prompt: '/tools' }] },
  'trigger-compact.ts': {
    settings: { compaction: { keepRecentTokens: 1 } },
    llm: [{ text: 'More.' }, { text: 'The summary.' }, { text: 'The rest.' }],
    differences: [SUMMARY],
    steps: [
      { prompt: 'Tell me more' },
      { prompt: '/trigger-compact' },
      { until: ({ message }) => message === 'Compaction completed' },
    ],
  },
  'truncated-tool.ts': { llm: call('rg', { pattern: 'two' }), steps: [{ prompt: 'Search' }] },
  'with-deps': {
    llm: [...call('parse_duration', { duration: '2 days' }), ...call('parse_duration', { duration: 'soon' })],
    steps: [{ prompt: 'How long?' }, { prompt: 'And?' }],
  },
  'working-indicator.ts': { steps: [{ prompt: '/working-indicator dot' }, { prompt: '/working-indicator what' }] },
};
