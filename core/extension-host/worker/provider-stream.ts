import { CodedError } from '../../base/coded-error.js';
import { BOUNDARY_ERRORS } from '../contract/errors.js';
import type { ProviderConfig } from '../contract/public.js';

type Fields = Record<string, unknown>;

/**
 * Asks a provider that speaks to its models itself and passes its steps on. Gives the answer. Rejects when the stream ends without one.
 * `partial` of the steps stays here: the core puts the answer together from the steps.
 */
export async function streamProvider(
  config: ProviderConfig,
  { model, context, options }: Fields,
  signal: AbortSignal,
  step: (step: Fields) => void,
): Promise<Fields> {
  const started = config.streamSimple?.(model as never, context, { ...(options as Fields), signal });
  // Some are async functions that give the stream.
  const stream = (await started) as AsyncIterable<Fields>;
  let last: Fields | undefined;
  for await (const event of stream) {
    if (event.type === 'done') return event.message as Fields;
    if (event.type === 'error') return event.error as Fields;
    const { partial, ...rest } = event;
    last = (partial as Fields | undefined) ?? last;
    step(event.type === 'start' ? { type: 'start', message: partial } : withToolCallName(rest, partial as Fields | undefined));
  }
  const result = await (stream as { result?: () => Promise<Fields> }).result?.();
  if (result) return result;
  throw new CodedError(BOUNDARY_ERRORS.THREW, `The stream of ${String((model as Fields).provider)} ended without an answer`, {
    data: { last: last !== undefined },
  });
}

/** A tool call's id and name, which its start step carries here, are in the partial answer there. */
function withToolCallName(step: Fields, partial: Fields | undefined): Fields {
  if (step.type !== 'toolcall_start' || step.id !== undefined) return step;
  const block = (partial?.content as Fields[] | undefined)?.[step.contentIndex as number];
  return {
    ...step,
    ...(block?.id !== undefined && { id: block.id }),
    ...(block?.name !== undefined && { toolName: block.name }),
  };
}
