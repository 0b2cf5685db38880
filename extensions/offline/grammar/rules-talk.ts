import { GREETING, HELP, WELCOME } from '../help.js';
import { DESTRUCTIVE_WISHES } from './danger.js';
import { type Rule, rule } from './rule.js';
import type { Step } from './steps.js';

const say = (text: string) => (): Step[] => [{ kind: 'say', text }];

/** Tried first: what must never be taken for something harmless. */
export const REFUSAL_RULES: readonly Rule[] = [
  rule(
    [...DESTRUCTIVE_WISHES, 'shut|turn|power|switch [ down|off ] [ the|my|this ] computer|machine|system|pc|server [ down|off ]'],
    () => [{ kind: 'refuse', reason: 'destroy more than a file of this project' }],
  ),
];

/** Tried last but for the unknown: what would be understood as something else is not for these. */
export const TALK_RULES: readonly Rule[] = [
  rule(
    ['hi|hello|hey|greetings|howdy|moin [ there|pi|everyone|world|again ]', 'good morning|afternoon|evening|day [ pi ]'],
    say(GREETING),
  ),
  rule(
    [
      'help [ me ]',
      'what can|could|do you do|understand|know [ for me ]',
      'who|what are you',
      'what are you able to do',
      'are you a|an|the [ real|large|language|offline ] [ language ] model|llm|ai|bot',
      'how do|does|can i|you use you|this|work',
      'what [ kind|sort ] [ of ] model are|is you|this',
    ],
    say(HELP),
  ),
  rule(
    ['thanks|thank [ you ] [ very|so ] [ much|a lot ]', 'great|good|nice|perfect|ok|okay|fine|cool [ job|work ]', 'bye|goodbye'],
    say(WELCOME),
  ),
  rule(
    [
      'continue|proceed|resume|go|carry|keep [ on|ahead|going ] [ with ] [ it|that|the task|work ]',
      'finish [ it|the task|the rest ]',
    ],
    () => [{ kind: 'resume' }],
  ),
  rule(
    [
      'tell|show|give|report|say|let [ back|to ] [ me|us ] [ know|see ] [ about ] [ the|your|what|how|whether|if ] [ final|test ] [ result|results|output|outcome|findings|answer|summary ]',
      'tell|show|report|let [ to ] me|us [ know ] what you|it|they find|found|says|said|say|did|does|do|see|saw|gives|prints|printed|changed',
      'tell|show|let me|us [ know ] what happens|happened|changed|was|came|comes [ found|out ]',
      'tell|show|let me|us [ know ] how it went|goes|ends|ended',
      'tell|show|let me|us [ know ] whether|if it|they|that|everything worked|passed|pass|works|succeeded|passes|is|are [ fine|ok|okay|green ]',
      'report [ back|to me ]',
      'how many there are|were [ of them ]',
      'how many are there',
      'what is in there',
      'show|give me the list|files|paths|names|matches',
      'do|perform|follow|execute|complete [ all ] [ of ] [ the|these|this ] [ following|next ] [ two|three|four ] [ steps|things|tasks|work|actions|instructions|following ] [ in order|for me|one by one ]',
      'here is|are [ the|my|your ] [ tasks|steps|task|plan|instructions|things ] [ to do ]',
      'steps|tasks|plan|todo',
      'stop|done|that is all|it|enough',
      'tell|show me',
    ],
    () => [{ kind: 'nothing' }],
  ),
  rule(
    ['delete|remove|rm|erase|unlink [ the ] [ file|folder|directory ] {file:file}', 'delete|remove|erase {text}'],
    ({ file, text }) => {
      if (!file?.file && !text) return undefined;
      const target = file?.file?.kind === 'path' ? file.file.path : undefined;
      const example = target === undefined ? '' : `: run \`rm -- '${target.replaceAll("'", "'\\''")}'\``;
      return [
        {
          kind: 'say',
          text: `I don't delete anything on a request in plain words. If you mean it, give me the command itself${example}`,
        },
      ];
    },
  ),
];
