import type { Model, ThinkingLevel } from '../protocol/model.js';
import type { ModelRequest } from '../protocol/model-stream.js';
import type { Quirks, ThinkingFormat } from './quirks.js';
import { isWire } from './wire-values.js';

type Fields = Record<string, unknown>;

interface Wanted {
  isOn: boolean;
  /** The provider's word for the level; undefined when thinking is off. */
  effort: string | undefined;
  /** The provider's word for "off", when its model has one. */
  offWord: string | undefined;
  quirks: Quirks;
  /** The model can't stop thinking: nothing is sent to stop it. */
  alwaysOn: boolean;
}

/** The request fields that turn thinking on and off, per way of saying it. Source: models document; transcripts of 0.84.0. */
const FORMATS: Readonly<Record<ThinkingFormat, (wanted: Wanted) => Fields>> = {
  openai: (wanted) => (wanted.isOn ? effortField(wanted) : wanted.offWord ? { reasoning_effort: wanted.offWord } : {}),
  openrouter: ({ isOn, effort, offWord, alwaysOn }) =>
    isOn ? { reasoning: { effort } } : alwaysOn ? {} : { reasoning: { effort: offWord ?? 'none' } },
  deepseek: (wanted) => ({ ...switchField(wanted, { type: 'enabled' }), ...effortField(wanted) }),
  zai: (wanted) => ({ ...switchField(wanted, { type: 'enabled', clear_thinking: false }), ...effortField(wanted) }),
  together: (wanted) => ({ ...unlessAlwaysOn(wanted, { reasoning: { enabled: wanted.isOn } }), ...effortField(wanted) }),
  baseten: (wanted) => ({
    ...templateField('chat_template_args', wanted.quirks.chatTemplateArgs ?? {}, wanted),
    ...effortField(wanted),
  }),
  qwen: (wanted) => ({ ...unlessAlwaysOn(wanted, { enable_thinking: wanted.isOn }), ...effortField(wanted) }),
  'chat-template': (wanted) => templateField('chat_template_kwargs', wanted.quirks.chatTemplateKwargs ?? {}, wanted),
  'qwen-chat-template': ({ isOn }) => ({ chat_template_kwargs: { enable_thinking: isOn, preserve_thinking: true } }),
  'string-thinking': (wanted) =>
    wanted.isOn ? { thinking: wanted.effort } : unlessAlwaysOn(wanted, { thinking: wanted.offWord ?? 'none' }),
  // Ant Ling thinks as its model does; only a level that the model's map names is sent.
  'ant-ling': () => ({}),
};

/** Empty for a model that does not think. */
export function thinkingFields({ model, options }: ModelRequest, quirks: Quirks): Fields {
  if (!model.reasoning) return {};
  const level = options.thinkingLevel;
  const isOn = level !== 'off';
  const fields = FORMATS[quirks.thinkingFormat]({
    isOn,
    effort: isOn ? effortWord(model, level) : undefined,
    offWord: model.thinkingLevelMap?.off ?? undefined,
    quirks,
    alwaysOn: model.thinkingLevelMap?.off === null,
  });
  const named = model.thinkingLevelMap?.[level];
  return quirks.thinkingFormat === 'ant-ling' && isOn && named ? { reasoning_effort: named } : fields;
}

/** The provider's word for a level: what the model's map says, else the level's own name. */
export const effortWord = (model: Model, level: ThinkingLevel): string => model.thinkingLevelMap?.[level] ?? level;

const effortField = ({ effort, quirks }: Wanted): Fields =>
  effort !== undefined && quirks.supportsReasoningEffort ? { reasoning_effort: effort } : {};

const unlessAlwaysOn = ({ isOn, alwaysOn }: Wanted, fields: Fields): Fields => (!isOn && alwaysOn ? {} : fields);

const switchField = (wanted: Wanted, on: Fields): Fields =>
  unlessAlwaysOn(wanted, { thinking: wanted.isOn ? on : { type: 'disabled' } });

/** Template values as configured, `{"$var": …}` replaced; a variable without a value is left out. */
function templateField(name: string, values: Readonly<Record<string, unknown>>, { isOn, effort }: Wanted): Fields {
  const made: Fields = {};
  for (const [key, value] of Object.entries(values)) {
    if (!isWire(value) || typeof value.$var !== 'string') made[key] = value;
    else if (value.omitWhenOff === true && !isOn) continue;
    else if (value.$var === 'thinking.enabled') made[key] = isOn;
    else if (value.$var === 'thinking.effort' && effort !== undefined) made[key] = effort;
  }
  return Object.keys(made).length === 0 ? {} : { [name]: made };
}
