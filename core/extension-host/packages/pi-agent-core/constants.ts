import { branchText, compactionText } from '../../../session/message-texts.js';

/** Longest line of a match, in bytes. */
export const GREP_MAX_LINE_LENGTH = 500;

/** Source: compaction document, "Settings". Tokens. */
export const DEFAULT_COMPACTION_SETTINGS = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };

const MARK = '\0';
const at = { timestamp: 0, summary: MARK };
const around = (text: string): [string, string] => [
  text.slice(0, text.indexOf(MARK)),
  text.slice(text.indexOf(MARK) + MARK.length),
];

/** What a model reads around a summary. */
export const [BRANCH_SUMMARY_PREFIX, BRANCH_SUMMARY_SUFFIX] = around(branchText({ ...at, role: 'branchSummary', fromId: '' }));
export const [COMPACTION_SUMMARY_PREFIX, COMPACTION_SUMMARY_SUFFIX] = around(
  compactionText({ ...at, role: 'compactionSummary', tokensBefore: 0 }),
);
