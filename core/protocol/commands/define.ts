import type * as z from 'zod';

/** One command of the protocol: its name, what it is for, where that is written, the shape of its fields and of its answer's `data`. */
export interface CommandDefinition<N extends string, P extends z.ZodObject, R extends z.ZodType | undefined> {
  name: N;
  summary: string;
  /** The document that defines it, or `additive` when a client of the seed protocol never sees it. */
  source: 'rpc-mode' | 'additive' | '1.6.0';
  params: P;
  /** Left out when a success carries no `data`. */
  result: R;
}

export function defineCommand<
  const N extends string,
  P extends z.ZodObject,
  R extends z.ZodType | undefined = undefined,
>(definition: {
  name: N;
  summary: string;
  source: CommandDefinition<N, P, R>['source'];
  params: P;
  result?: R;
}): CommandDefinition<N, P, R> {
  return { ...definition, result: definition.result as R };
}
