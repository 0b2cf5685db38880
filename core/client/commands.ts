import type { CommandName, Params, Result } from '../protocol/commands/index.js';
import { COMMAND_NAMES } from '../protocol/generated/names.gen.js';

export interface RequestOptions {
  /** Milliseconds to wait for the response; default: that of the client, and none for commands that may take any time. */
  timeoutMs?: number;
  /** Stops waiting. What the program does is not stopped by it: `abort` does that. */
  signal?: AbortSignal;
}

type CamelCase<S extends string> = S extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : S;
type Method<N extends CommandName> =
  Record<never, never> extends Params<N>
    ? (params?: Params<N>, options?: RequestOptions) => Promise<Result<N>>
    : (params: Params<N>, options?: RequestOptions) => Promise<Result<N>>;

/** A method for each command of the protocol, named as in JavaScript: `get_state` is `getState`. */
export type CommandMethods = { readonly [N in CommandName as CamelCase<N>]: Method<N> };

/** Makes the methods. A command that is added to the protocol has its method at once. */
export function commandMethods(
  request: (command: CommandName, params: object, options: RequestOptions) => Promise<unknown>,
): CommandMethods {
  const methods = COMMAND_NAMES.map((name) => [
    name.replace(/_(\w)/g, (_all, letter: string) => letter.toUpperCase()),
    (params: object = {}, options: RequestOptions = {}) => request(name, params, options),
  ]);
  return Object.fromEntries(methods) as CommandMethods; // one for each name, by the line above
}
