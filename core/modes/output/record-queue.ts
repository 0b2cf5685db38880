import { messageOf } from '../../base/coded-error.js';
import { encodeAround, forgetEncoded } from '../../base/encode-once.js';
import { escapeSeparators } from '../../base/jsonl.js';
import { type JsonPiece, RawJson, textOf } from '../../base/raw-json.js';
import type { SessionHeader } from '../../protocol/entries.js';
import type { AgentEvent, AssistantMessageEvent } from '../../protocol/events.js';
import type { UiRequest } from '../../protocol/ui.js';

/** A response whose `data` may be encoded already. */
export interface OutgoingResponse {
  id?: unknown;
  type: 'response';
  command: string;
  success: boolean;
  data?: unknown;
  error?: string;
  code?: string;
}

export type OutgoingRecord =
  | AgentEvent
  | OutgoingResponse
  | SessionHeader
  | UiRequest
  | { type: 'extension_ui_cancel'; id: string };

type DeltaEvent = Extract<AssistantMessageEvent, { delta: string }>;

/** A record that may still take in what follows it. */
interface Growing {
  key: string;
  delta: string[];
  length: number;
  finish: (delta: string) => string;
}

/** Deltas are joined up to this many characters: clients may count on a delta being small beside its message. */
const MAX_JOINED = 350;
/** About this many characters are handed over at once, so that nothing else waits long for a record of many megabytes. */
const MAX_TAKEN = 1 << 20;
/** How many records, and how many characters of them, `get_events` can go back over. */
const RING_RECORDS = 2000;
const RING_CHARS = 8 * 1024 * 1024;

/**
 * Encodes records in order and holds them until the transport takes them. Deltas of one block that follow one another become one
 * record, and a newer progress report replaces an older one that was not yet taken: this is what keeps a slow reader's backlog
 * small. Everything else is kept as it came (guarantees 3 and 4).
 */
export class RecordQueue {
  /** Encoded records with their LF; one that is long is still to be made, piece by piece. */
  #lines: (string | Iterator<JsonPiece>)[] = [];
  #growing: Growing | undefined;
  /** Progress reports not yet taken, by tool call: their place in the queue. */
  readonly #reports = new Map<string, number>();
  #seq = 0;
  readonly #ring: { seq: number; line: string }[] | undefined;
  #ringChars = 0;

  constructor(options: { sequenceNumbers: boolean }) {
    this.#ring = options.sequenceNumbers ? [] : undefined;
  }

  get isEmpty(): boolean {
    return this.#lines.length === 0 && !this.#growing;
  }

  get seq(): number {
    return this.#seq;
  }

  push(record: OutgoingRecord): void {
    if (record.type === 'message_update' && 'delta' in record.assistantMessageEvent) {
      this.#pushDelta(record.assistantMessageEvent);
      return;
    }
    if (record.type === 'bash_execution_update') {
      const { id, delta } = record;
      const head = id === undefined ? { type: record.type } : { type: record.type, id };
      this.#grow(`bash ${typeof id} ${String(id)}`, delta, (text) => JSON.stringify({ ...head, delta: text }));
      return;
    }
    this.#seal();
    if (record.type === 'tool_execution_update') {
      this.#pushReport(record.toolCallId, JSON.stringify(record));
      return;
    }
    if (record.type === 'tool_execution_end') this.#reports.delete(record.toolCallId);
    if (record.type === 'response' && record.data instanceof RawJson && !this.#ring) {
      this.#seq += 1;
      this.#lines.push(pieces(record, record.data)[Symbol.iterator]());
      return;
    }
    this.#append(encode(record));
  }

  /**
   * What is to be written next: everything so far, or of a lot the first part, which may end within a record. Call it until
   * {@link isEmpty}.
   */
  take(): JsonPiece[] {
    this.#seal();
    this.#reports.clear();
    const parts: JsonPiece[] = [];
    let size = 0;
    let done = 0;
    for (const line of this.#lines) {
      if (size >= MAX_TAKEN) break;
      if (typeof line === 'string') {
        parts.push(line);
        size += line.length;
      } else {
        let piece = line.next();
        while (!piece.done) {
          parts.push(safe(piece.value));
          size += piece.value.length;
          if (size >= MAX_TAKEN) break;
          piece = line.next();
        }
        if (!piece.done) break;
      }
      done += 1;
    }
    this.#lines = done === this.#lines.length ? [] : this.#lines.slice(done);
    return parts;
  }

  /** Makes what is still to be made, before its source goes away. */
  materialise(): void {
    this.#lines = this.#lines.map((line) => (typeof line === 'string' ? line : allOf(line)));
  }

  /** Encoded records after `since`; `complete` is false when some are gone. */
  replay(since: number): { events: RawJson; complete: boolean } {
    const ring = this.#ring ?? [];
    const oldest = ring[0]?.seq ?? this.#seq + 1;
    const lines = ring.filter((item) => item.seq > since).map((item) => item.line.trimEnd());
    return { events: new RawJson(`[${lines.join(',')}]`), complete: this.#ring !== undefined && since >= oldest - 1 };
  }

  #pushDelta(event: DeltaEvent): void {
    const { type, contentIndex } = event;
    const head = `{"type":"message_update","assistantMessageEvent":{"type":"${type}","contentIndex":${contentIndex},"delta":`;
    this.#grow(`${type} ${contentIndex}`, event.delta, (delta) => `${head}${JSON.stringify(delta)}}}`);
  }

  #grow(key: string, delta: string, finish: (delta: string) => string): void {
    const growing = this.#growing;
    if (growing?.key === key && growing.length + delta.length <= MAX_JOINED) {
      growing.delta.push(delta);
      growing.length += delta.length;
      return;
    }
    this.#seal();
    this.#growing = { key, delta: [delta], length: delta.length, finish };
  }

  #seal(): void {
    const growing = this.#growing;
    if (!growing) return;
    this.#growing = undefined;
    this.#append(growing.finish(growing.delta.join('')));
  }

  #pushReport(toolCallId: string, json: string): void {
    const at = this.#reports.get(toolCallId);
    if (at !== undefined && !this.#ring) {
      this.#lines[at] = `${escapeSeparators(json)}\n`;
      return;
    }
    this.#append(json);
    this.#reports.set(toolCallId, this.#lines.length - 1);
  }

  #append(json: string): void {
    this.#seq += 1;
    let line = `${escapeSeparators(json)}\n`;
    if (this.#ring) {
      line = `{"seq":${this.#seq},${line.slice(1)}`;
      this.#ring.push({ seq: this.#seq, line });
      this.#ringChars += line.length;
      while (this.#ring.length > RING_RECORDS || (this.#ringChars > RING_CHARS && this.#ring.length > 1)) {
        this.#ringChars -= this.#ring.shift()?.line.length ?? 0;
      }
    }
    this.#lines.push(line);
  }
}

/** Events with messages, which are written again as part of others and of the session. */
const WITH_MESSAGES: ReadonlySet<string> = new Set(['message_start', 'message_end', 'turn_end', 'agent_end']);
const MESSAGES: ReadonlySet<string> = new Set(['message', 'messages', 'toolResults']);

function encode(record: OutgoingRecord): string {
  // An answer that has just begun is about to change.
  const isBegun = record.type === 'message_start' && record.message.role === 'assistant';
  if (WITH_MESSAGES.has(record.type) && !isBegun) {
    const text = encodeAround(record, MESSAGES);
    // The next run has messages of its own.
    if (record.type === 'agent_end') forgetEncoded();
    return text;
  }
  if (record.type !== 'response' || !(record.data instanceof RawJson)) return JSON.stringify(record);
  return textOf(pieces(record, record.data)).trimEnd();
}

/** The record with its LF. What fails half-way ends the line, and the client is told by a failure of the same id. */
function* pieces(record: OutgoingResponse, data: RawJson): Generator<JsonPiece> {
  const { data: _data, ...head } = record;
  try {
    yield `${JSON.stringify(head).slice(0, -1)},"data":`;
    yield* data.pieces;
    yield '}\n';
  } catch (error) {
    yield `\n${JSON.stringify({ ...head, success: false, error: messageOf(error) })}\n`;
  }
}

const safe = (piece: JsonPiece): JsonPiece => (typeof piece === 'string' ? escapeSeparators(piece) : piece);

function allOf(line: Iterator<JsonPiece>): string {
  let text = '';
  for (let piece = line.next(); !piece.done; piece = line.next()) text += textOf([safe(piece.value)]);
  return text;
}
