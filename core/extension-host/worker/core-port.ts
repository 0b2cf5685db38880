import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { Args, MethodName, Result } from '../contract/method.js';
import { type CoreForWorkerContract, type CoreSyncContract, coreSyncContract, type WorkerContract } from '../contract/sides.js';
import type { SyncAnswer, SyncCall } from '../contract/state.js';
import {
  type AgentState,
  type CommandState,
  type ModelsState,
  NO_AGENT,
  type PromptState,
  type SessionState,
  type ToolState,
} from '../contract/state-values.js';
import { encodeMessage, fromWireError, isWireError } from '../contract/wire/messages.js';
import type { Peer } from '../contract/wire/peer.js';
import type { AnswerSource } from './answers.js';
import { appendJsonLines, replaceJson, type StateReader } from './state-reader.js';

/** What extensions can read of the core without `await`; each call gives what holds now. */
export interface CoreState {
  /** Every entry of the session; the list grows in place and is another one after the session was replaced. */
  entries(): readonly unknown[];
  session(): SessionState;
  agent(): AgentState;
  models(): ModelsState;
  tools(): readonly ToolState[];
  commands(): readonly CommandState[];
  prompt(): PromptState;
}

/** Told of a call before it goes out. */
type CallListener = (method: string, args: readonly unknown[]) => void;
type CorePeer = Pick<Peer<WorkerContract, CoreForWorkerContract>, 'notify' | 'call'>;

/** The core as extension code reaches it: told, asked, asked while this thread waits, and read. */
export class CorePort {
  readonly notify: CorePeer['notify'];
  readonly call: CorePeer['call'];
  readonly state: CoreState;
  readonly #answers: AnswerSource;
  readonly #post: (call: SyncCall) => void;
  readonly #onCall: CallListener | undefined;

  constructor(options: {
    peer: CorePeer;
    answers: AnswerSource;
    reader: StateReader;
    post: (call: SyncCall) => void;
    onCall?: CallListener | undefined;
  }) {
    const { peer, reader } = options;
    const { onCall } = options;
    this.#onCall = onCall;
    this.notify = (method, args) => {
      onCall?.(method, args);
      peer.notify(method, args);
    };
    this.call = (method, args, how) => {
      onCall?.(method, args);
      return peer.call(method, args, how);
    };
    this.#answers = options.answers;
    this.#post = options.post;
    this.state = {
      entries: reader.topic<unknown[]>('entries', [], appendJsonLines),
      session: reader.topic<SessionState>('session', { id: '', dir: '', cwd: '', leafId: null, header: {} }, replaceJson),
      agent: reader.topic<AgentState>('agent', NO_AGENT, replaceJson),
      models: reader.topic<ModelsState>('models', { all: [], available: [], providers: [] }, replaceJson),
      tools: reader.topic<ToolState[]>('tools', [], replaceJson),
      commands: reader.topic<CommandState[]>('commands', [], replaceJson),
      prompt: reader.topic<PromptState>('prompt', { text: '', options: {} }, replaceJson),
    };
  }

  /** Asks the core and holds this thread until it has answered. Throws what the core threw. */
  sync<M extends MethodName<CoreSyncContract>>(method: M, args: Args<CoreSyncContract[M]>): Result<CoreSyncContract[M]> {
    this.#onCall?.(method, args);
    const { sync } = this.#answers.wait<SyncAnswer>(method, (request) =>
      this.#post({ sync: encodeMessage({ type: 'call', id: request, method, args }) }),
    );
    const answer = JSON.parse(sync) as { value?: unknown; error?: unknown };
    if (isWireError(answer.error)) throw fromWireError(answer.error);
    const spec = coreSyncContract[method];
    if (!spec) throw new CodedError(BOUNDARY_ERRORS.BAD_MESSAGE, `No method ${method}`);
    return spec.result(answer.value, method) as Result<CoreSyncContract[M]>;
  }
}
