/** `@earendil-works/pi-agent-core` and `@mariozechner/pi-agent-core`: agents of an extension's own. */
export { uuidV7 as uuidv7 } from '../../base/id.js';
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
  truncateTail,
} from '../../tools/output-limits.js';
export { Agent } from './pi-agent-core/agent.js';
export {
  BRANCH_SUMMARY_PREFIX,
  BRANCH_SUMMARY_SUFFIX,
  COMPACTION_SUMMARY_PREFIX,
  COMPACTION_SUMMARY_SUFFIX,
  DEFAULT_COMPACTION_SETTINGS,
  GREP_MAX_LINE_LENGTH,
} from './pi-agent-core/constants.js';
export {
  agentLoop,
  agentLoopContinue,
  runAgentLoop,
  runAgentLoopContinue,
  setDefaultStreamFn,
} from './pi-agent-core/loop.js';
export * from './pi-agent-core/missing.js';
export { err, getOrThrow, getOrUndefined, ok, Result, toError } from './pi-agent-core/results.js';
