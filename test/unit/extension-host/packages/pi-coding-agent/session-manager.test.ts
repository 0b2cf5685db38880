import { appendFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isCoded } from '../../../../../core/base/coded-error.js';
import { SessionManager } from '../../../../../core/extension-host/packages/pi-coding-agent/session-manager.js';
import { createSessionLock } from '../../../../../core/session/lock.js';
import { createSession, openSession } from '../../../../../core/session/session.js';
import { answer, user } from '../../../session/builders.js';

let dir: string;
let oldAgentDir: string | undefined;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pi-sm-'));
  oldAgentDir = process.env.PI_CODING_AGENT_DIR;
  process.env.PI_CODING_AGENT_DIR = join(dir, 'agent');
});

afterEach(() => {
  if (oldAgentDir === undefined) delete process.env.PI_CODING_AGENT_DIR;
  else process.env.PI_CODING_AGENT_DIR = oldAgentDir;
  rmSync(dir, { recursive: true, force: true });
});

function talk(manager: SessionManager): string[] {
  return [manager.appendMessage(user('question')), manager.appendMessage(answer('reply'))];
}

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
  } catch (error) {
    return isCoded(error) ? error.code : `not coded: ${String(error)}`;
  }
  return undefined;
}

const linesOf = (file: string | undefined): unknown[] =>
  readFileSync(file ?? '', 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line): unknown => JSON.parse(line));

describe('a session manager in memory', () => {
  it('writes nothing and says so', () => {
    const manager = SessionManager.inMemory(dir);
    talk(manager);
    expect(manager.getSessionFile()).toBeUndefined();
    expect(manager.getSessionDir()).toBe('');
    expect(manager.isPersisted()).toBe(false);
    expect(readdirSync(dir)).toEqual([]);
    expect(manager.createBranchedSession(manager.getLeafId() ?? '')).toBeUndefined();
  });

  it('appends below the leaf, each entry readable in the next line', () => {
    const manager = SessionManager.inMemory(dir);
    const [first, second] = talk(manager);
    const custom = manager.appendCustomEntry('own', { n: 1 });
    expect(manager.getLeafId()).toBe(custom);
    expect(manager.getEntry(custom)).toMatchObject({ type: 'custom', customType: 'own', data: { n: 1 }, parentId: second });
    expect(manager.getBranch().map(({ id }) => id)).toEqual([first, second, custom]);
    expect(manager.getHeader()).toMatchObject({ type: 'session', version: 3, cwd: dir });
  });

  it('keeps every kind of entry as documented', () => {
    const manager = SessionManager.inMemory(dir);
    const [first = ''] = talk(manager);
    manager.appendModelChange('p', 'm');
    manager.appendThinkingLevelChange('high');
    manager.appendCustomMessageEntry('note', 'text', true, { d: 1 });
    manager.appendCompaction('short', first, 12, { x: 1 }, true);
    manager.appendSessionInfo('  two\n words ');
    manager.appendLabelChange(first, 'mark');
    const kept = manager.getEntries().map(({ id: _id, parentId: _parent, timestamp: _time, ...rest }) => rest);
    expect(kept.slice(2)).toEqual([
      { type: 'model_change', provider: 'p', modelId: 'm' },
      { type: 'thinking_level_change', thinkingLevel: 'high' },
      { type: 'custom_message', customType: 'note', content: 'text', display: true, details: { d: 1 } },
      { type: 'compaction', summary: 'short', firstKeptEntryId: first, tokensBefore: 12, details: { x: 1 }, fromHook: true },
      { type: 'session_info', name: 'two words' },
      { type: 'label', targetId: first, label: 'mark' },
    ]);
    expect(manager.getSessionName()).toBe('two words');
    expect(manager.getLabel(first)).toBe('mark');
    expect(manager.buildSessionContext()).toMatchObject({ thinkingLevel: 'high', model: { provider: 'p', modelId: 'm' } });
    manager.appendLabelChange(first, undefined);
    manager.appendSessionInfo(' ');
    expect(manager.getLabel(first)).toBeUndefined();
    expect(manager.getSessionName()).toBeUndefined();
  });

  it('moves in the tree: branch, branchWithSummary, resetLeaf', () => {
    const manager = SessionManager.inMemory(dir);
    const [first = '', second = ''] = talk(manager);
    manager.branch(first);
    const other = manager.appendMessage(user('instead'));
    expect(manager.getEntry(other)?.parentId).toBe(first);
    expect(manager.getChildren(first).map(({ id }) => id)).toEqual([second, other]);
    const summary = manager.branchWithSummary(first, 'tried it', { d: 1 });
    expect(manager.getEntry(summary)).toMatchObject({
      type: 'branch_summary',
      fromId: first,
      summary: 'tried it',
      parentId: first,
    });
    manager.resetLeaf();
    expect(manager.getLeafId()).toBeNull();
    expect(manager.getEntry(manager.appendMessage(user('new root')))?.parentId).toBeNull();
    expect(manager.getEntry(manager.branchWithSummary(null, 'all of it'))).toMatchObject({ fromId: 'root', parentId: null });
  });

  it('refuses ids it does not have, changing nothing', () => {
    const manager = SessionManager.inMemory(dir);
    talk(manager);
    const before = manager.getEntries();
    for (const act of [
      () => manager.branch('nope'),
      () => manager.appendLabelChange('nope', 'x'),
      () => manager.branchWithSummary('nope', 'x'),
      () => manager.createBranchedSession('nope'),
    ])
      expect(codeOf(act)).toBe('SESSION_ENTRY_NOT_FOUND');
    expect(manager.getEntries()).toEqual(before);
  });

  it('begins again with newSession', () => {
    const manager = SessionManager.inMemory(dir);
    talk(manager);
    expect(manager.newSession({ id: 'my-id', parentSession: '/old.jsonl' })).toBeUndefined();
    expect(manager.getEntries()).toEqual([]);
    expect(manager.getHeader()).toMatchObject({ id: 'my-id', parentSession: '/old.jsonl' });
  });
});

describe('a session manager on files', () => {
  it('makes its file where the program itself would look, with the first message', () => {
    const manager = SessionManager.create(dir);
    const file = manager.getSessionFile() ?? '';
    manager.appendModelChange('p', 'm');
    expect(existsSync(file)).toBe(false);
    const ids = talk(manager);
    expect(dirname(dirname(file))).toBe(join(dir, 'agent', 'sessions'));
    expect(linesOf(file)).toHaveLength(4);
    manager.appendCustomEntry('own');
    expect(linesOf(file)).toHaveLength(5);
    const session = openSession(file, { cwd: dir, readOnly: true });
    expect(session.entries()).toEqual(manager.getEntries());
    expect(session.header).toEqual(manager.getHeader());
    expect(session.contextMessages()).toEqual(manager.buildSessionContext().messages);
    expect(session.branch().map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
    expect(session.problemCount).toBe(0);
    session.dispose();
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('reads what the program wrote and goes on with it', () => {
    const core = createSession({ cwd: dir, sessionDir: join(dir, 's') });
    core.append({ type: 'message', message: user('from the program') });
    core.append({ type: 'message', message: answer('yes') });
    core.dispose();
    const manager = SessionManager.open(core.file ?? '');
    expect(manager.getEntries()).toEqual(openAll(core.file));
    expect(manager.getSessionId()).toBe(core.id);
    expect(manager.getCwd()).toBe(dir);
    expect(manager.getSessionDir()).toBe(join(dir, 's'));
    manager.appendMessage(user('from the extension'));
    expect(openAll(core.file)).toEqual(manager.getEntries());
  });

  it('leaves the file alone and says who has it while the program is at work in it', () => {
    const core = createSession({ cwd: dir, sessionDir: dir, lock: createSessionLock({ warn: () => undefined }) });
    core.append({ type: 'message', message: user('working') });
    const manager = SessionManager.open(core.file ?? '');
    expect(manager.getEntries()).toHaveLength(1);
    const before = readFileSync(core.file ?? '');
    expect(codeOf(() => manager.appendMessage(user('me too')))).toBe('SESSION_LOCKED');
    expect(readFileSync(core.file ?? '')).toEqual(before);
    expect(manager.getEntries()).toHaveLength(1);
    core.append({ type: 'message', message: answer('undisturbed') });
    // A copy is always possible.
    const fork = SessionManager.forkFrom(core.file ?? '', dir, join(dir, 'forks'));
    expect(fork.getEntries()).toHaveLength(2);
    core.dispose();
    manager.appendMessage(user('now it goes'));
    expect(openAll(core.file)).toHaveLength(3);
  });

  it('gives a last line without its end one before it appends', () => {
    const manager = SessionManager.create(dir, dir);
    talk(manager);
    const file = manager.getSessionFile() ?? '';
    appendFileSync(file, '{"type":"message","id":"torn');
    const again = SessionManager.open(file);
    again.appendMessage(user('after the crash'));
    expect(openAll(file).map(({ id }) => id)).toEqual([...manager.getEntries(), again.getLeafEntry()].map((entry) => entry?.id));
  });

  it('opens a path without a file as a new session there', () => {
    const file = join(dir, 'new.jsonl');
    const manager = SessionManager.open(file, undefined, '/elsewhere');
    expect(manager.getEntries()).toEqual([]);
    expect(manager.getCwd()).toBe('/elsewhere');
    expect(existsSync(file)).toBe(false);
    manager.appendMessage(user('hello'));
    expect(openAll(file)).toHaveLength(1);
  });

  it('refuses a file that is no session and leaves it as it is', () => {
    const file = join(dir, 'notes.jsonl');
    writeFileSync(file, 'hello\n');
    expect(codeOf(() => SessionManager.open(file))).toBe('SESSION_INVALID_FILE');
    expect(codeOf(() => SessionManager.forkFrom(join(dir, 'none.jsonl'), dir))).toBe('SESSION_FORK_SOURCE_INVALID');
    expect(readFileSync(file, 'utf8')).toBe('hello\n');
  });

  it('brings a file of the first version to the current one', () => {
    const file = join(dir, 'old.jsonl');
    writeFileSync(
      file,
      [
        { type: 'session', id: 'old', timestamp: '2024-01-01T00:00:00.000Z', cwd: dir },
        { type: 'message', timestamp: '2024-01-01T00:00:01.000Z', message: user('old question') },
        { type: 'message', timestamp: '2024-01-01T00:00:02.000Z', message: answer('old reply') },
      ]
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(''),
    );
    const manager = SessionManager.open(file);
    expect(manager.getBranch()).toHaveLength(2);
    manager.appendMessage(user('new question'));
    expect(openAll(file)).toEqual(manager.getEntries());
  });

  it('goes on in a file of its own with a branch and its labels', () => {
    const manager = SessionManager.create(dir, dir);
    const [first = '', second = ''] = talk(manager);
    manager.appendMessage(user('on another way'));
    manager.branch(second);
    manager.appendLabelChange(first, 'start');
    const old = manager.getSessionFile();
    const path = manager.createBranchedSession(second);
    expect(path).toBe(manager.getSessionFile());
    expect(path).not.toBe(old);
    expect(manager.getHeader()?.parentSession).toBe(old);
    expect(
      manager
        .getBranch()
        .map(({ id }) => id)
        .slice(0, 2),
    ).toEqual([first, second]);
    expect(manager.getLabel(first)).toBe('start');
    expect(openAll(path)).toEqual(manager.getEntries());
    expect(openAll(old)).toHaveLength(4);
  });

  it('copies a whole session into another project', () => {
    const source = SessionManager.create(dir, dir);
    talk(source);
    const fork = SessionManager.forkFrom(source.getSessionFile() ?? '', '/other/project');
    expect(fork.getHeader()).toMatchObject({ cwd: '/other/project', parentSession: source.getSessionFile() });
    expect(openAll(fork.getSessionFile())).toEqual(source.getEntries());
    expect(basename(dirname(fork.getSessionFile() ?? ''))).toBe('--other-project--');
  });

  it('finds the session of a directory that was written last', () => {
    expect(SessionManager.continueRecent(dir).getEntries()).toEqual([]);
    const manager = SessionManager.create(dir);
    talk(manager);
    const again = SessionManager.continueRecent(dir);
    expect(again.getSessionFile()).toBe(manager.getSessionFile());
    expect(again.getEntries()).toEqual(manager.getEntries());
  });

  it('lists sessions with what was said in them', async () => {
    const manager = SessionManager.create(dir);
    talk(manager);
    manager.appendSessionInfo('named');
    SessionManager.forkFrom(manager.getSessionFile() ?? '', '/other');
    const progress: number[][] = [];
    const [info, ...others] = await SessionManager.list(dir, undefined, (loaded, total) => progress.push([loaded, total]));
    expect(others).toEqual([]);
    expect(info).toMatchObject({
      path: manager.getSessionFile(),
      id: manager.getSessionId(),
      cwd: dir,
      name: 'named',
      messageCount: 2,
      firstMessage: 'question',
      allMessagesText: 'question reply',
    });
    expect(info?.created).toBeInstanceOf(Date);
    expect(info?.modified).toBeInstanceOf(Date);
    expect(progress).toEqual([[1, 1]]);
    expect((await SessionManager.listAll()).map(({ cwd }) => cwd).sort()).toEqual(['/other', dir].sort());
    expect(await SessionManager.list('/nothing/here')).toEqual([]);
  });

  it('keeps what its last state was when the disk refuses', () => {
    const manager = SessionManager.create(dir, join(dir, 'folder'));
    writeFileSync(join(dir, 'folder'), 'a file where the directory should be');
    expect(codeOf(() => manager.appendMessage(user('lost')))).toBe('SESSION_WRITE_FAILED');
    expect(manager.getEntries()).toEqual([]);
    expect(manager.getLeafId()).toBeNull();
  });
});

function openAll(file: string | undefined) {
  const session = openSession(file ?? '', { cwd: dir, readOnly: true });
  try {
    return session.entries();
  } finally {
    session.dispose();
  }
}
