import type { Shape } from './shape.js';

/** Something one side may ask the other, with one answer. */
export interface Method<A, R, P = never> {
  readonly kind: 'method';
  readonly args: Shape<A>;
  readonly result: Shape<R>;
  /** What may arrive between call and answer, any number of times. */
  readonly progress?: Shape<P>;
  /** Milliseconds after which the caller stops waiting; none when left out. */
  readonly deadlineMs?: number;
  /** Milliseconds an aborted call may still take to answer by itself. 0: the caller does not wait. */
  readonly abortGraceMs?: number;
}

/** Something one side may tell the other: no answer, no error. */
export interface Note<A> {
  readonly kind: 'note';
  readonly args: Shape<A>;
}

/** What one side understands: its own keys are all there is. Names are `domain.verb`. */
export type Contract = Readonly<Record<string, Method<never, unknown, never> | Note<never>>>;

export const method = <A, R, P = never>(spec: Omit<Method<A, R, P>, 'kind'>): Method<A, R, P> => ({ kind: 'method', ...spec });
export const note = <A>(args: Shape<A>): Note<A> => ({ kind: 'note', args });

export type MethodName<C> = { [K in keyof C]: C[K] extends Method<infer _A, infer _R, infer _P> ? K : never }[keyof C] & string;
export type NoteName<C> = { [K in keyof C]: C[K] extends Note<infer _A> ? K : never }[keyof C] & string;

export type Args<M> = M extends { args: Shape<infer A> } ? A : never;
export type Result<M> = M extends { result: Shape<infer R> } ? R : never;
export type Progress<M> = M extends Method<infer _A, infer _R, infer P> ? P : never;

/** What the implementer of a method gets beside its arguments. */
export interface CallContext<P> {
  /** Fires when the caller withdraws the call or the channel closes. */
  readonly signal: AbortSignal;
  readonly progress: (value: P) => void;
}

/** One function per member: a missing or surplus one does not compile. */
export type Implementation<C> = {
  readonly [K in keyof C]: C[K] extends Method<infer A, infer R, infer P>
    ? (args: A, call: CallContext<P>) => R | Promise<R>
    : C[K] extends Note<infer A>
      ? (args: A) => void
      : never;
};
