import { type Answer, nextAnswer } from './answer.js';
import type {
  AssistantMessage,
  Message,
  OfflineEvent,
  OfflineRequest,
  OfflineStream,
  TextBlock,
  ToolCallBlock,
  Usage,
} from './model-api.js';

/** Words sent before others get a turn: an abort is noticed between such groups. */
const WORDS_PER_GROUP = 12;
/** Characters of a call's arguments in one delta. */
const ARGUMENT_PIECE = 256;
const CHARS_PER_TOKEN = 4;

/** Answers from rules: no network, no clock, no chance. The same request always gives the same events. */
export const offlineStream: OfflineStream = async (request, emit) => {
  const { model, context } = request;
  const input = tokensOf(context.systemPrompt.length + charactersOf(context.messages));
  const message: AssistantMessage = {
    role: 'assistant',
    content: [],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: usageOf(input, 0),
    stopReason: 'pending',
    // No clock: the answer is dated like what it answers, so that a replay is the same to the byte.
    timestamp: context.messages.at(-1)?.timestamp ?? 0,
  };
  emit({ type: 'start', message });
  const isDone = await sendAnswer(request, message, emit);
  message.stopReason = !isDone ? 'aborted' : message.content.some((block) => block.type === 'toolCall') ? 'toolUse' : 'stop';
  if (!isDone) message.errorMessage = 'The request was aborted';
  message.usage = usageOf(input, tokensOf(charactersOf([message])));
  return { message };
};

/** False when it was aborted on the way. */
async function sendAnswer(
  request: OfflineRequest,
  message: AssistantMessage,
  emit: (event: OfflineEvent) => void,
): Promise<boolean> {
  const { model, context, options } = request;
  if (options.signal.aborted) return false;
  const answer = nextAnswer(context.messages, context.tools, model.api);
  if (!(await sendText(answer.text, message, emit, options.signal))) return false;
  if (!answer.call) return true;
  return sendCall(answer.call, callId(request, answer.call), message, emit, options.signal);
}

async function sendText(
  text: string,
  message: AssistantMessage,
  emit: (event: OfflineEvent) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const block: TextBlock = { type: 'text', text: '' };
  const contentIndex = message.content.push(block) - 1;
  emit({ type: 'text_start', contentIndex });
  const words = text.match(/\s*\S+|\s+$/g) ?? [];
  for (const [index, delta] of words.entries()) {
    if (index > 0 && index % WORDS_PER_GROUP === 0) await othersTurn();
    if (signal.aborted) return false;
    block.text += delta;
    emit({ type: 'text_delta', contentIndex, delta });
  }
  emit({ type: 'text_end', contentIndex, content: block.text });
  await othersTurn();
  return !signal.aborted;
}

async function sendCall(
  call: NonNullable<Answer['call']>,
  id: string,
  message: AssistantMessage,
  emit: (event: OfflineEvent) => void,
  signal: AbortSignal,
): Promise<boolean> {
  const block: ToolCallBlock = { type: 'toolCall', id, name: call.tool, arguments: {} };
  const contentIndex = message.content.push(block) - 1;
  emit({ type: 'toolcall_start', contentIndex, id, toolName: call.tool });
  const json = JSON.stringify(call.args);
  for (let at = 0; at < json.length; at += ARGUMENT_PIECE) {
    if (at > 0 && (at / ARGUMENT_PIECE) % WORDS_PER_GROUP === 0) await othersTurn();
    if (signal.aborted) {
      // Half a call must not stay: its arguments would be taken for whole.
      message.content.pop();
      return false;
    }
    emit({ type: 'toolcall_delta', contentIndex, delta: json.slice(at, at + ARGUMENT_PIECE) });
  }
  block.arguments = call.args;
  emit({ type: 'toolcall_end', contentIndex, toolCall: block });
  return true;
}

const othersTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Different for each place in a conversation, and the same whenever that place is answered again. */
function callId({ context }: OfflineRequest, call: NonNullable<Answer['call']>): string {
  const place = `${context.messages.length} ${context.messages.at(-1)?.timestamp ?? 0} ${call.tool} ${JSON.stringify(call.args)}`;
  return `offline_${context.messages.length}_${hash(place, 0x811c9dc5)}${hash(place, 0x01234567)}`;
}

/** FNV-1a, as eight hexadecimal digits. */
function hash(text: string, seed: number): string {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}

const tokensOf = (characters: number): number => Math.ceil(characters / CHARS_PER_TOKEN);

function charactersOf(messages: readonly Message[]): number {
  let characters = 0;
  for (const { content } of messages) {
    if (typeof content === 'string') characters += content.length;
    else for (const block of content) characters += blockCharacters(block);
  }
  return characters;
}

function blockCharacters(block: Exclude<Message['content'], string>[number]): number {
  switch (block.type) {
    case 'text':
      return block.text.length;
    case 'thinking':
      return block.thinking.length;
    case 'toolCall':
      return block.name.length + JSON.stringify(block.arguments).length;
    case 'image':
      return 0;
  }
}

const usageOf = (input: number, output: number): Usage => ({
  input,
  output,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: input + output,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
});
