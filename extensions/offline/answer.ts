import { currentRequest, memoryOf } from './conversation.js';
import { understand } from './grammar/understand.js';
import { notUnderstood } from './help.js';
import type { Message, ToolInfo } from './model-api.js';
import { plural } from './work/excerpt.js';
import { type Progress, performAll } from './work/perform.js';
import { type Call, Toolbox } from './work/toolbox.js';
import type { World } from './work/world.js';

export interface Answer {
  text: string;
  call: Call | undefined;
}

/**
 * The next thing to say and do. Nothing is remembered between answers: the plan is made again from the conversation, and what its calls
 * gave so far is played back to it. So it goes on after an abort, in another process, or on another branch.
 */
export function nextAnswer(messages: readonly Message[], tools: readonly ToolInfo[], api: string): Answer {
  const request = currentRequest(messages, api);
  if (!request || request.text.trim() === '') {
    return { text: withImages(notUnderstood(undefined), request?.images ?? 0), call: undefined };
  }
  const steps = understand(request.text);
  const [only] = steps;
  const text = steps.length === 0 || (steps.length === 1 && only?.kind === 'unknown') ? notUnderstood(undefined) : undefined;
  if (text !== undefined) return { text: withImages(text, request.images), call: undefined };

  const world: World = { tools: new Toolbox(tools), listed: undefined, ...memoryOf(request.before) };
  const progress: Progress = { label: '' };
  const work = performAll(steps, world, progress);
  const isFirst = request.outcomes.length === 0;
  let state = work.next();
  for (const outcome of request.outcomes) {
    if (state.done) break;
    state = work.next(outcome);
  }
  const images = isFirst ? request.images : 0;
  if (state.done) return { text: withImages(state.value, images), call: undefined };
  return { text: withImages(`${progress.label}${state.value.say}`, images), call: state.value };
}

const withImages = (text: string, images: number): string =>
  images === 0
    ? text
    : `I can't see ${images === 1 ? 'the image' : `the ${plural(images, 'image')}`} you sent, only your words. ${text}`;
