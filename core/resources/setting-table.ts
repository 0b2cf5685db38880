import type { ThinkingLevel } from '../protocol/model.js';
import { EXTENSION_TRUST_SCHEMA } from '../trust/extension-trust.js';
import {
  bool,
  count,
  custom,
  group,
  inProject,
  isPlainObject,
  type Kind,
  maybe,
  milliseconds,
  oneOf,
  type PartialSettingsOf,
  type SettingMembers,
  type SettingsOf,
  setting,
  text,
  texts,
} from './setting-kinds.js';

const thinkingLevel: Kind<ThinkingLevel> = oneOf('off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max');
const queueMode = oneOf('all', 'one-at-a-time');

/** A package to load resources from: a source, or a source with filters. A filter that is missing lets everything in. */
export type PackageSetting =
  | string
  | {
      readonly source: string;
      /** `false` in a project: what it says is added to, and taken from, what the global entry of the same package loads. */
      readonly autoload?: boolean;
      readonly extensions?: readonly string[];
      readonly skills?: readonly string[];
      readonly prompts?: readonly string[];
      readonly themes?: readonly string[];
    };

const FILTERS = ['extensions', 'skills', 'prompts', 'themes'] as const;

const packages = custom<readonly PackageSetting[]>(
  'a list of sources, or of objects with a "source" and lists of what to load of it',
  (value) => Array.isArray(value) && value.every(isPackage),
  {
    type: 'array',
    items: {
      anyOf: [
        { type: 'string' },
        {
          type: 'object',
          required: ['source'],
          properties: {
            source: { type: 'string' },
            autoload: { type: 'boolean' },
            ...Object.fromEntries(FILTERS.map((filter) => [filter, texts.schema])),
          },
        },
      ],
    },
  },
);

function isPackage(value: unknown): boolean {
  if (typeof value === 'string') return true;
  if (!isPlainObject(value) || typeof value.source !== 'string') return false;
  if (value.autoload !== undefined && typeof value.autoload !== 'boolean') return false;
  return FILTERS.every((filter) => value[filter] === undefined || texts.check(value[filter]));
}

const BUNDLED = ['skills', 'prompts'] as const;

const bundled = custom<readonly (typeof BUNDLED)[number][]>(
  'a list of "skills" and "prompts"',
  (value) => Array.isArray(value) && value.every((item) => BUNDLED.some((kind) => kind === item)),
  { type: 'array', items: { enum: BUNDLED } },
);

/** What names of one extension or package are to be; false is none. */
export interface ExtensionNames {
  /** Where several have a name, this one's is taken. */
  readonly prefer?: boolean;
  readonly tools?: Readonly<Record<string, string | false>>;
  readonly commands?: Readonly<Record<string, string | false>>;
}

const isNames = (value: unknown): boolean =>
  value === undefined ||
  (isPlainObject(value) && Object.values(value).every((name) => name === false || typeof name === 'string'));

const NEW_NAMES = { type: 'object', additionalProperties: { anyOf: [{ type: 'string' }, { const: false }] } };

const extensionNames = custom<Readonly<Record<string, ExtensionNames>>>(
  'an object of extensions, each with "prefer", "tools" and "commands"',
  (value) =>
    isPlainObject(value) &&
    Object.values(value).every(
      (one) =>
        isPlainObject(one) &&
        (one.prefer === undefined || typeof one.prefer === 'boolean') &&
        isNames(one.tools) &&
        isNames(one.commands),
    ),
  {
    type: 'object',
    additionalProperties: {
      type: 'object',
      properties: { prefer: { type: 'boolean' }, tools: NEW_NAMES, commands: NEW_NAMES },
    },
  },
);

/** Levels and grants of extensions. Checked where trust is decided, which takes what can't be meant as a lower level: not here, to be ignored. */
const extensionTrust = custom<unknown>('an object', () => true, EXTENSION_TRUST_SCHEMA);

/**
 * Every setting that means something without a terminal. Keys that are not here (a theme, an editor's padding, an extension's own)
 * are kept in the file and otherwise left alone.
 * Source: "Settings"; `dialogTimeoutMs`, `streamIdleTimeoutMs`, `extensionNames` and `extensionTrust` are ours.
 */
export const SETTINGS = {
  defaultProvider: maybe(text, 'Provider of a new session'),
  defaultModel: maybe(text, 'Model of a new session'),
  defaultThinkingLevel: maybe(thinkingLevel, 'Thinking level of a new session'),
  thinkingBudgets: group({
    minimal: maybe(count(1), 'Tokens for thinking at this level'),
    low: maybe(count(1), 'Tokens for thinking at this level'),
    medium: maybe(count(1), 'Tokens for thinking at this level'),
    high: maybe(count(1), 'Tokens for thinking at this level'),
    xhigh: maybe(count(1), 'Tokens for thinking at this level'),
    max: maybe(count(1), 'Tokens for thinking at this level'),
  }),
  enabledModels: maybe(texts, 'Models that cycle_model goes through, like --models'),

  steeringMode: setting(queueMode, 'one-at-a-time', 'How queued steering messages are delivered'),
  followUpMode: setting(queueMode, 'one-at-a-time', 'How queued follow-ups are delivered'),
  httpProxy: inProject('refused', maybe(text, 'Proxy for HTTP and HTTPS, where the environment names none')),
  httpIdleTimeoutMs: maybe(milliseconds, 'Older name of streamIdleTimeoutMs, which wins over it'),
  streamIdleTimeoutMs: setting(
    milliseconds,
    120_000,
    'Longest silence within an answer before it is asked for again; 0 is no limit',
  ),

  compaction: group({
    enabled: setting(bool, true, 'Summarise old messages when the context fills up'),
    reserveTokens: setting(count(), 16_384, 'Tokens kept free for the answer'),
    keepRecentTokens: setting(count(), 20_000, 'Tokens of recent messages that are not summarised'),
  }),
  branchSummary: group({
    reserveTokens: setting(count(), 16_384, 'Tokens kept free for the summary of a branch'),
    skipPrompt: setting(bool, false, 'Do not ask whether to summarise a branch that is left; nobody asks here'),
  }),
  retry: group({
    enabled: setting(bool, true, 'Try again after a transient error of the provider'),
    maxRetries: setting(count(), 3, 'Most tries after the first'),
    baseDelayMs: setting(milliseconds, 2000, 'First delay; it doubles each time'),
    provider: group({
      timeoutMs: maybe(milliseconds, 'Longest time until an answer begins; then the request is tried again. 0 is no limit'),
      maxRetries: setting(
        count(),
        0,
        'Tries within the library of the provider; there are none here: retry.maxRetries counts them all',
      ),
      maxRetryDelayMs: setting(milliseconds, 60_000, 'Longest delay a provider may ask for; 0 is no limit'),
    }),
  }),

  images: group({
    autoResize: setting(bool, true, 'Make images fit 2000x2000; without effect so far'),
    blockImages: setting(bool, false, 'Send no images to a model'),
  }),
  shellPath: maybe(text, 'Shell of the bash tool'),
  shellCommandPrefix: maybe(text, 'Put before every command of the bash tool'),
  npmCommand: maybe(texts, 'Program and arguments to run npm with'),
  sessionDir: maybe(text, 'Directory of session files'),

  packages: setting(packages, [], 'Packages to load resources from'),
  extensions: setting(texts, [], 'Extensions to load'),
  skills: setting(texts, [], 'Skills to load'),
  prompts: setting(texts, [], 'Prompt templates to load'),
  builtin: setting(bundled, [], 'Kinds of resources that come with the program and are wanted'),
  enableSkillCommands: setting(bool, true, 'Offer skills as /skill:name'),

  defaultProjectTrust: inProject(
    'refused',
    setting(oneOf('ask', 'always', 'never'), 'ask', 'What a project without a decision gets; nobody can be asked here'),
  ),
  // A project may lower a level, never raise one: whoever decides about trust reads both files.
  extensionTrust: inProject('apart', maybe(extensionTrust, 'Trust levels, grants and limits of extensions')),
  extensionNames: setting(
    extensionNames,
    {},
    'For an extension (by path or name) or a package (by source): prefer its names, rename its tools and commands, or turn one off with false',
  ),
  dialogTimeoutMs: maybe(count(1, 2_147_483_647), 'Answer a dialog with its default after this time'),
} satisfies SettingMembers;

export type Settings = SettingsOf<typeof SETTINGS>;
/** What one file says, as far as it is valid. */
export type FileSettings = PartialSettingsOf<typeof SETTINGS>;
