// Drives a `pi` through every public method of the client class of the existing package, and prints what each gave, as JSON.
//   node driver.mjs <module of the package> <cli.js to run> <file for the exported page>
// It runs under the Node that the package needs.
const [entry, cliPath, htmlFile] = process.argv.slice(2);
const { RpcClient } = await import(entry);
const client = new RpcClient({ cliPath, cwd: process.cwd(), args: ['--provider', 'fake', '--model', 'thinker'] });

const said = [];
const events = [];
const waiting = new Set();
/** Calls a method and keeps what it gave. */
async function call(method, ...args) {
  try {
    const value = await client[method](...args);
    said.push([method, value === undefined ? null : value]);
    return value;
  } catch (error) {
    said.push([method, { error: error.message }]);
    return undefined;
  }
}
/** Resolves at the next event that fits, from now on. */
const next = (fits) =>
  new Promise((resolve) => {
    const look = (event) => {
      if (!fits(event)) return;
      waiting.delete(look);
      resolve(event);
    };
    waiting.add(look);
  });

await client.start();
const stopListening = client.onEvent((event) => {
  events.push(event);
  for (const look of [...waiting]) look(event);
});

await call('getState');
const models = await call('getAvailableModels');
said.push(['models', models.filter(({ provider }) => provider.startsWith('fake'))]);
await call('setModel', 'fakechat', 'plain');
await call('setModel', 'nobody', 'nothing');
await call('cycleModel');
await call('setModel', 'fake', 'thinker');
await call('getAvailableThinkingLevels');
await call('setThinkingLevel', 'low');
await call('cycleThinkingLevel');
await call('setSteeringMode', 'all');
await call('setFollowUpMode', 'all');
await call('setAutoCompaction', false);
await call('setAutoRetry', false);

said.push(['promptAndWait', (await client.promptAndWait('Hello')).map(({ type }) => type)]);

// The tool waits for a file, so that the agent works while it is told more.
const started = next(({ type }) => type === 'tool_execution_start');
await call('prompt', 'Wait for the file');
await started;
await call('steer', 'And be quick');
await call('followUp', 'Then say what you saw');
const settled = client.collectEvents();
await call('bash', 'touch go');
said.push(['collectEvents', (await settled).map(({ type }) => type)]);

// The answer never ends.
const hanging = next(({ assistantMessageEvent }) => assistantMessageEvent?.type === 'text_delta');
await call('prompt', 'Never stop');
await hanging;
const idle = client.waitForIdle();
await call('abort');
await idle;
await call('abortRetry');

const sleeping = call('bash', 'touch begun; sleep 60');
await call('bash', 'until [ -e begun ]; do sleep 0.02; done');
await call('abortBash');
await sleeping;

await call('setSessionName', 'driven');
await call('getSessionStats');
await call('getMessages');
const { entries } = await call('getEntries');
await call('getEntries', entries.at(-3).id);
await call('getTree');
await call('getLastAssistantText');
await call('getCommands');
await call('compact', 'Briefly');
const messages = await call('getForkMessages');
const before = await client.getState();
await call('fork', messages[0].entryId);
await call('clone');
await call('newSession');
await call('switchSession', before.sessionFile);
await call('getState');
await call('exportHtml', htmlFile);
stopListening();
said.push(['getStderr', typeof client.getStderr()]);
await client.stop();
/** What is private in the class has no mark: these serve the others. */
const INNER = 'constructor start stop onEvent handleLine createProcessExitError rejectPendingRequests send getData'.split(' ');
const used = new Set([...INNER, ...said.map(([method]) => method), 'waitForIdle']);
said.push(['untested', Object.getOwnPropertyNames(RpcClient.prototype).filter((name) => !used.has(name))]);
said.push(['events', events.map(({ type }) => type)]);
process.stdout.write(JSON.stringify(said));
