import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ownStart } from '../../../core/base/platform.js';
import type { StoredEntry } from '../../../core/protocol/commands/session.js';
import { checkSession, hasProblems, repairSession, type SessionReport, unlockSession } from '../../../core/session/doctor.js';
import { createSessionLock } from '../../../core/session/lock.js';
import { openSession } from '../../../core/session/session.js';
import { answered, chain, entry, header, said } from '../../unit/session/builders.js';

let dir: string;
let file: string;
beforeEach(() => {
  dir = fs.mkdtempSync(path.join(os.tmpdir(), 'pi-doctor-'));
  file = path.join(dir, 's.jsonl');
});
afterEach(() => fs.rmSync(dir, { recursive: true, force: true }));

type Line = object | string | Buffer;
const bytesOf = (line: Line): Buffer =>
  Buffer.isBuffer(line) ? line : Buffer.from(typeof line === 'string' ? line : JSON.stringify(line));
const write = (lines: readonly Line[], end = '\n'): Buffer => {
  const parts = lines.flatMap((line, at) => (at === 0 ? [bytesOf(line)] : [Buffer.from('\n'), bytesOf(line)]));
  const bytes = Buffer.concat([...parts, Buffer.from(end)]);
  fs.writeFileSync(file, bytes);
  return bytes;
};
const read = (at = file): string => fs.readFileSync(at, 'utf8');
const records = (): StoredEntry[] =>
  read()
    .trimEnd()
    .split('\n')
    // Blank lines say nothing and are no problem: a repair is not made for them.
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line));
const warnings: string[] = [];
const repair = (): SessionReport =>
  repairSession(file, { cwd: '/made', now: () => new Date(Date.UTC(2025, 5, 1)), warn: (text) => warnings.push(text) });
const found = ({ findings }: SessionReport): string[] =>
  findings.map(({ line, severity, kind }) => `${severity === 'note' ? 'note ' : ''}${kind} ${line ?? '-'}`);
const places = (): (string | null)[][] =>
  records()
    .slice(1)
    .map(({ id, parentId }) => [id, parentId]);
const whole = (): object[] => [header(dir), ...chain()];
const GONE = 4_000_000;
const lockText = (more: object = {}): string =>
  JSON.stringify({
    pid: process.pid,
    start: ownStart(),
    since: '2025-01-01T10:00:00.000Z',
    host: os.hostname(),
    token: 'abc123',
    ...more,
  });

/** Damage, what is found, and the places in the tree after the repair. */
const CHAIN_PLACES = [
  ['aaaaaaa1', null],
  ['aaaaaaa2', 'aaaaaaa1'],
  ['aaaaaaa3', 'aaaaaaa2'],
  ['aaaaaaa4', 'aaaaaaa3'],
];
const text = (value: object | undefined): string => JSON.stringify(value);
const lines = (): string[] => whole().map(text);

interface Case {
  name: string;
  make: () => [lines: Line[], end?: string];
  finds: string[];
  places?: (string | null)[][];
}
const CASES: Case[] = [
  {
    name: 'half a record at the end',
    make: () => [[...lines(), text(said('aaaaaaa5', 'aaaaaaa4', 'x')).slice(0, 50)], ''],
    finds: ['torn 6'],
  },
  { name: 'records run into one another', make: () => [[...lines().slice(0, 2), lines().slice(2).join('')]], finds: ['fused 3'] },
  {
    name: 'a record run into half of another',
    make: () => [[...lines().slice(0, 4), `${text(said('x', 'aaaaaaa3', 'lost')).slice(0, 60)}${lines()[4]}`]],
    finds: ['fused 5'],
  },
  {
    name: 'a record behind zeros',
    make: () => [[...lines().slice(0, 4), `${'\0'.repeat(500)}${lines()[4]}`]],
    finds: ['fused 5'],
  },
  {
    name: 'lines that are no records',
    make: () => [[...lines().slice(0, 3), '%%%', '', '42', '[]', '{"a":1}', text(header(dir)), ...lines().slice(3)]],
    finds: ['noise 4', 'noise 6', 'noise 7', 'noise 8', 'noise 9'],
  },
  { name: 'no newline at the end', make: () => [lines(), ''], finds: ['newline 5'] },
  { name: 'the header alone, without newline', make: () => [lines().slice(0, 1), ''], finds: ['newline 1'], places: [] },
  { name: 'a damaged header', make: () => [[lines()[0]?.slice(0, 40) ?? '', ...lines().slice(1)]], finds: ['header 1'] },
  { name: 'a header behind noise', make: () => [['%%%', '%%%', ...lines()]], finds: ['header 1', 'noise 2'] },
  { name: 'a missing header', make: () => [lines().slice(1)], finds: ['header 1'] },
  {
    name: 'a header run into the first entry',
    make: () => [[`${lines()[0]}${lines()[1]}`, ...lines().slice(2)]],
    finds: ['fused 1'],
  },
  { name: 'a repeated entry', make: () => [[...lines(), ...lines().slice(2, 4)]], finds: ['duplicate 6', 'duplicate 7'] },
  {
    name: 'an entry that is its own parent',
    make: () => [[header(dir), said('aaaaaaa1', 'aaaaaaa1', 'x'), ...chain().slice(1)]],
    finds: ['cycle 2'],
  },
  { name: 'a loop', make: () => [[header(dir), said('aaaaaaa1', 'aaaaaaa4', 'x'), ...chain().slice(1)]], finds: ['cycle 2'] },
  {
    name: 'a missing parent',
    make: () => [[...whole().slice(0, 3), said('aaaaaaa3', 'gone0000', 'x'), ...chain().slice(3)]],
    finds: ['orphan 4'],
  },
  {
    name: 'a missing parent at the beginning',
    make: () => [[header(dir), said('aaaaaaa1', 'gone0000', 'x'), ...chain().slice(1)]],
    finds: ['orphan 2'],
  },
  {
    name: 'no parent',
    make: () => [[...whole().slice(0, 3), text({ ...chain()[2], parentId: undefined }), ...chain().slice(3)]],
    finds: ['orphan 4'],
  },
  {
    name: 'broken UTF-8',
    make: () => {
      const bad = bytesOf(answered('aaaaaaa4', 'aaaaaaa3', 'a@b'));
      bad[bad.indexOf('@')] = 0xff;
      return [[...lines().slice(0, 4), bad]];
    },
    finds: ['utf8 5'],
  },
];

describe('the doctor', () => {
  test('finds nothing in a sound session, a branched one, an empty file; and changes nothing', () => {
    for (const content of [whole(), [...whole(), said('bbbbbbb1', 'aaaaaaa2', 'other')], [header(dir)], ['']] as Line[][]) {
      const before = write(content);
      expect(found(checkSession(file))).toEqual([]);
      expect(found(repair())).toEqual([]);
      expect(fs.readFileSync(file).equals(before)).toBe(true);
    }
    expect(fs.readdirSync(dir)).toEqual(['s.jsonl']);
  });

  test.each(CASES)('G25: $name is found and repaired, the original kept', ({ make, finds, places: wanted = CHAIN_PLACES }) => {
    const before = write(...make());
    fs.chmodSync(file, 0o640);
    expect(found(checkSession(file))).toEqual(finds);
    expect(fs.readFileSync(file).equals(before)).toBe(true);
    const { keptAt = '' } = repair();
    expect(path.basename(keptAt)).toBe('s.jsonl.damaged-2025-06-01T00-00-00-000Z');
    expect(fs.readFileSync(keptAt).equals(before)).toBe(true);
    expect(found(checkSession(file))).toEqual([]);
    expect(places()).toEqual(wanted);
    expect(records()[0]).toMatchObject({ type: 'session', version: 3 });
    expect(fs.statSync(file).mode & 0o777).toBe(0o640);
    expect(fs.readdirSync(dir).sort()).toEqual(['s.jsonl', path.basename(keptAt)]);
    const session = openSession(file, { cwd: dir });
    expect([session.problemCount, session.messageCount]).toEqual([0, wanted.length]);
    session.dispose();
  });

  test('G25: of different entries with one id the last keeps it, and each keeps its children', () => {
    const big = text(said('aaaaaaa3', 'aaaaaaa2', 'x')).replace(/}$/, ',"big":12345678901234567890}');
    write([
      ...whole().slice(0, 3),
      big,
      chain()[3] ?? '',
      said('aaaaaaa3', 'aaaaaaa4', 'again'),
      said('aaaaaaa5', 'aaaaaaa3', 'y'),
      entry('label', 'aaaaaaa6', 'aaaaaaa5', { targetId: 'aaaaaaa3', label: 'l' }),
    ]);
    expect(found(checkSession(file))).toEqual(['duplicate 4']);
    repair();
    const fresh = records()[3]?.id ?? '';
    expect(fresh).toMatch(/^[0-9a-f]{8}$/);
    expect(places()).toEqual([
      ['aaaaaaa1', null],
      ['aaaaaaa2', 'aaaaaaa1'],
      [fresh, 'aaaaaaa2'],
      ['aaaaaaa4', fresh],
      ['aaaaaaa3', 'aaaaaaa4'],
      ['aaaaaaa5', 'aaaaaaa3'],
      ['aaaaaaa6', 'aaaaaaa5'],
    ]);
    expect(read()).toContain('"big":12345678901234567890');
  });

  test('entries of types it does not know, and unknown fields, are kept and no problem', () => {
    const future = entry('future_thing', 'ffffffff', 'aaaaaaa4', { deep: [1, { x: 'ü' }] });
    const headerLine = header(dir, { later: true });
    write([headerLine, ...chain(), future, '%%%']);
    expect(found(checkSession(file))).toEqual(['note unknown-type 6', 'noise 7']);
    repair();
    expect([records()[0], records().at(-1)]).toEqual([headerLine, future]);
  });

  test('a header that is lost is made anew, with the id of the file name', () => {
    file = path.join(dir, '2025-01-01T00-00-00-000Z_my-id.jsonl');
    write(['%%%', ...chain()]);
    repair();
    expect(records()[0]).toEqual({
      type: 'session',
      version: 3,
      id: 'my-id',
      timestamp: '2025-06-01T00:00:00.000Z',
      cwd: '/made',
    });
  });

  test('an old version is looked at in its new form; only damage makes it be rewritten', () => {
    const [, ...entries] = whole() as StoredEntry[];
    const old = [{ type: 'session', id: 'old', timestamp: '', cwd: dir }, ...entries.map(({ id, parentId, ...rest }) => rest)];
    const before = write(old);
    expect(found(repair())).toEqual(['note version 1']);
    expect(fs.readFileSync(file).equals(before)).toBe(true);
    write([...old.slice(0, 3), '%%%', ...old.slice(3)]);
    expect(found(repair())).toEqual(['note version 1', 'noise 4']);
    expect(records().map(({ version, type }) => version ?? type)).toEqual([3, 'message', 'message', 'message', 'message']);
    expect(found(checkSession(file))).toEqual([]);
  });

  test('what is no session is refused and left alone', () => {
    for (const content of ['just some notes\n', '{"a":1}\n{"type":"x","id":"y"}\n', '\0\0\0', '{"type":"message","id":"a"}\n']) {
      fs.writeFileSync(file, content);
      for (const run of [() => checkSession(file), repair]) {
        expect(run).toThrow(expect.objectContaining({ code: 'SESSION_INVALID_FILE' }));
      }
      expect([read(), fs.readdirSync(dir)]).toEqual([content, ['s.jsonl']]);
    }
    fs.rmSync(file);
    expect(() => checkSession(file)).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
    expect(repair).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }));
  });

  test('a kept original is never replaced by another', () => {
    for (const damage of ['%%%', '&&&']) {
      write([...whole(), damage]);
      repair();
    }
    const kept = fs.readdirSync(dir).filter((name) => name.includes('damaged'));
    expect(kept.map((name) => read(path.join(dir, name)).trimEnd().slice(-3)).sort()).toEqual(['%%%', '&&&']);
  });

  test('a link stays a link', () => {
    write([...whole(), '%%%']);
    const link = path.join(dir, 'link.jsonl');
    fs.symlinkSync(file, link);
    repairSession(link, { cwd: dir, warn: (text) => warnings.push(text) });
    expect([fs.lstatSync(link).isSymbolicLink(), found(checkSession(file))]).toEqual([true, []]);
  });
});

describe('the doctor and locks', () => {
  test('a session in use can be checked, and is not repaired', () => {
    write([...whole(), '%%%']);
    const session = openSession(file, { cwd: dir, lock: createSessionLock({ warn: (text) => warnings.push(text) }) });
    expect(found(checkSession(file))).toEqual(['note lock -', 'noise 6']);
    const before = read();
    expect(repair).toThrow(expect.objectContaining({ code: 'SESSION_LOCKED' }));
    expect(read()).toBe(before);
    session.dispose();
    expect(found(repair())).toEqual(['noise 6']);
  });

  test('a lock that a dead process left, and what it left while it took it, are found and removed', () => {
    write(whole());
    fs.writeFileSync(`${file}.lock`, lockText({ pid: GONE }));
    fs.writeFileSync(`${file}.lock.beef.tmp`, lockText({ pid: GONE }));
    fs.writeFileSync(`${file}.lock.f00d`, lockText());
    expect(found(checkSession(file))).toEqual(['lock -', 'lock -']);
    expect(found(repair())).toEqual(['lock -', 'lock -']);
    expect(fs.readdirSync(dir).sort()).toEqual(['s.jsonl', 's.jsonl.lock.f00d']);
  });

  test('a person may remove the lock of another host, but not that of a running process', () => {
    write(whole());
    expect(unlockSession(file)).toBeUndefined();
    fs.writeFileSync(`${file}.lock`, lockText({ host: 'elsewhere' }));
    expect(found(checkSession(file))).toEqual(['note lock -']);
    expect(unlockSession(file)).toBe(`process ${process.pid} on elsewhere, since 2025-01-01T10:00:00.000Z`);
    fs.writeFileSync(`${file}.lock`, 'nonsense');
    expect(unlockSession(file)).toBe('a lock without sense');
    fs.writeFileSync(`${file}.lock`, lockText());
    expect(() => unlockSession(file)).toThrow(expect.objectContaining({ code: 'SESSION_LOCKED' }));
    expect(fs.existsSync(`${file}.lock`)).toBe(true);
  });
});

test('G25: whatever happened to a file, a repair leaves a sound one, and no sound record is lost', () => {
  const id = fc.integer({ min: 0, max: 7 }).map((n) => `aaaaaaa${n}`);
  const record = fc.tuple(
    id,
    fc.option(fc.oneof(id, fc.constant('gone0000'))),
    fc.oneof(fc.uuid(), fc.constantFrom('same', 'ü\u2028\u0000"')),
  );
  const noise = fc.constantFrom('%%%', '', '42', '{"type":"message"', '"', '\0\0', '\ufeff');
  const piece = fc.oneof(
    { weight: 6, arbitrary: record.map(([own, parent, said_]) => ({ sound: true, text: text(said(own, parent, said_)) })) },
    { weight: 1, arbitrary: noise.map((one) => ({ sound: false, text: one })) },
  );
  const join = fc.constantFrom('\n', '\n', '\n', '\r\n', '');
  let runs = 0;
  fc.assert(
    fc.property(
      fc.array(fc.tuple(piece, join), { maxLength: 14 }),
      fc.constantFrom(text(header('/w')), '{"type":"sess'),
      (pieces, first) => {
        const sound = pieces.flatMap(([one]) => (one.sound ? [one.text] : []));
        fc.pre(first.endsWith('}') || sound.length > 0);
        fs.writeFileSync(file, `${first}\n${pieces.map(([one, end]) => one.text + (one.sound ? end : '\n')).join('')}`);
        const { entries } = repair();
        expect(hasProblems(checkSession(file))).toBe(false);
        const after = new Set(records().slice(1).map(contentOf));
        expect(sound.filter((one) => !after.has(contentOf(JSON.parse(one))))).toEqual([]);
        expect(entries).toBe(sound.length);
        const session = openSession(file, { cwd: dir });
        expect([session.problemCount, session.entryCount]).toEqual([0, records().length - 1]);
        session.dispose();
        for (const name of fs.readdirSync(dir)) fs.rmSync(path.join(dir, name));
        runs++;
      },
    ),
    { numRuns: 300 },
  );
  console.log(`repair: ${runs} damaged files, 0 sound records lost`);
});

const contentOf = ({ id, parentId, ...rest }: StoredEntry): string => JSON.stringify(rest);
