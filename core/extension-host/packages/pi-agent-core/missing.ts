import { unsupportedClass, unsupportedFunction, unsupportedObject } from '../unsupported.js';

// What the existing package has and no counted extension uses. Each says what does the same here.

const PACKAGE = 'pi-agent-core';
const missing = (name: string, instead: string) => unsupportedFunction(PACKAGE, name, instead);
const missingClass = (name: string, instead: string) => unsupportedClass(PACKAGE, name, instead);
const missingObject = (name: string, instead: string) => unsupportedObject(PACKAGE, name, instead);

const HARNESS = 'Use Agent or agentLoop() of this package, or createAgentSession() of pi-coding-agent.';
const SESSIONS = 'Use SessionManager of pi-coding-agent, or ctx.sessionManager.';
const CODING_AGENT = 'Import it from pi-coding-agent.';
const COMPACTION = 'Use ctx.compact() or ctx.navigateTree(), and their events.';
const RESOURCES = 'Use pi.getCommands(), which lists skills and prompt templates, or the resources_discover event to add some.';
const TELEMETRY = 'Subscribe to events with pi.on() and measure there.';
const PROXY = 'Pass a streamFn that returns a stream from createAssistantMessageEventStream() of pi-ai.';

export const AgentHarness = missingClass('AgentHarness', HARNESS);
export const Closed = missingClass('Closed', HARNESS);
export const HarnessClosed = missingClass('HarnessClosed', HARNESS);
export const HarnessFault = missingClass('HarnessFault', HARNESS);
export const HarnessNotImplemented = missingClass('HarnessNotImplemented', HARNESS);
export const InvalidLane = missingClass('InvalidLane', HARNESS);
export const InvalidMessage = missingClass('InvalidMessage', HARNESS);
export const LaneBusy = missingClass('LaneBusy', HARNESS);
export const LaneExists = missingClass('LaneExists', HARNESS);
export const MissingIdentities = missingClass('MissingIdentities', HARNESS);
export const NoActiveOperation = missingClass('NoActiveOperation', HARNESS);
export const NoActiveRun = missingClass('NoActiveRun', HARNESS);
export const NothingToCompact = missingClass('NothingToCompact', HARNESS);
export const NothingToResume = missingClass('NothingToResume', HARNESS);
export const TaggedError = missing('TaggedError', HARNESS);
export const UnknownQueueItem = missingClass('UnknownQueueItem', HARNESS);
export const UnknownSkill = missingClass('UnknownSkill', HARNESS);
export const UnknownTarget = missingClass('UnknownTarget', HARNESS);
export const UnknownTemplate = missingClass('UnknownTemplate', HARNESS);
export const matchError = missing('matchError', HARNESS);
export const ExecutionError = missingClass('ExecutionError', HARNESS);
export const FileError = missingClass('FileError', HARNESS);
export const getFileSystemResultOrThrow = missing('getFileSystemResultOrThrow', HARNESS);
export const executeShellWithCapture = missing('executeShellWithCapture', HARNESS);
export const sanitizeBinaryOutput = missing('sanitizeBinaryOutput', HARNESS);
export const assertJsonSerializable = missing('assertJsonSerializable', HARNESS);

export const InMemorySessionRepo = missingClass('InMemorySessionRepo', SESSIONS);
export const InMemorySessionStorage = missingClass('InMemorySessionStorage', SESSIONS);
export const JsonlSessionRepo = missingClass('JsonlSessionRepo', SESSIONS);
export const Session = missingClass('Session', SESSIONS);
export const SessionError = missingClass('SessionError', SESSIONS);
export const createScanningSessionSearch = missing('createScanningSessionSearch', SESSIONS);
export const scanningEntries = missing('scanningEntries', SESSIONS);
export const defaultContextEntryTransform = missing('defaultContextEntryTransform', SESSIONS);

export const bashExecutionToText = missing('bashExecutionToText', CODING_AGENT);
export const buildContextEntries = missing('buildContextEntries', CODING_AGENT);
export const buildSessionContext = missing('buildSessionContext', CODING_AGENT);
export const calculateContextTokens = missing('calculateContextTokens', CODING_AGENT);
export const convertToLlm = missing('convertToLlm', CODING_AGENT);
export const createBashTool = missing('createBashTool', CODING_AGENT);
export const createEditTool = missing('createEditTool', CODING_AGENT);
export const createReadTool = missing('createReadTool', CODING_AGENT);
export const createWriteTool = missing('createWriteTool', CODING_AGENT);
export const estimateTokens = missing('estimateTokens', CODING_AGENT);
export const findCutPoint = missing('findCutPoint', CODING_AGENT);
export const findTurnStartIndex = missing('findTurnStartIndex', CODING_AGENT);
export const generateSummaryWithUsage = missing('generateSummaryWithUsage', CODING_AGENT);
export const loadSkills = missing('loadSkills', CODING_AGENT);
export const serializeConversation = missing('serializeConversation', CODING_AGENT);
export const sessionEntryToContextMessages = missing('sessionEntryToContextMessages', CODING_AGENT);

export const BranchSummaryError = missingClass('BranchSummaryError', COMPACTION);
export const CompactionError = missingClass('CompactionError', COMPACTION);
export const collectEntriesForBranchSummary = missing('collectEntriesForBranchSummary', COMPACTION);
export const compact = missing('compact', COMPACTION);
export const createBranchSummaryMessage = missing('createBranchSummaryMessage', COMPACTION);
export const createCompactionSummaryMessage = missing('createCompactionSummaryMessage', COMPACTION);
export const createCustomMessage = missing('createCustomMessage', COMPACTION);
export const estimateContextTokens = missing('estimateContextTokens', COMPACTION);
export const generateBranchSummary = missing('generateBranchSummary', COMPACTION);
export const generateSummary = missing('generateSummary', COMPACTION);
export const getLastAssistantUsage = missing('getLastAssistantUsage', COMPACTION);
export const prepareBranchEntries = missing('prepareBranchEntries', COMPACTION);
export const prepareCompaction = missing('prepareCompaction', COMPACTION);
export const shouldCompact = missing('shouldCompact', COMPACTION);

export const formatPromptTemplateInvocation = missing('formatPromptTemplateInvocation', RESOURCES);
export const formatSkillInvocation = missing('formatSkillInvocation', RESOURCES);
export const formatSkillsForSystemPrompt = missing('formatSkillsForSystemPrompt', RESOURCES);
export const loadPromptTemplates = missing('loadPromptTemplates', RESOURCES);
export const loadSourcedPromptTemplates = missing('loadSourcedPromptTemplates', RESOURCES);
export const loadSourcedSkills = missing('loadSourcedSkills', RESOURCES);
export const parseCommandArgs = missing('parseCommandArgs', RESOURCES);
export const substituteArgs = missing('substituteArgs', RESOURCES);

export const AGENT_TELEMETRY_SCHEMAS = missingObject('AGENT_TELEMETRY_SCHEMAS', TELEMETRY);
export const AI_TELEMETRY_SCHEMA = missingObject('AI_TELEMETRY_SCHEMA', TELEMETRY);
export const HARNESS_TELEMETRY_SCHEMA = missingObject('HARNESS_TELEMETRY_SCHEMA', TELEMETRY);
export const InMemoryTelemetryContext = missingClass('InMemoryTelemetryContext', TELEMETRY);
export const NOOP_TELEMETRY_CONTEXT = missingObject('NOOP_TELEMETRY_CONTEXT', TELEMETRY);
export const createTypedSpanStarter = missing('createTypedSpanStarter', TELEMETRY);
export const defineTelemetrySchema = missing('defineTelemetrySchema', TELEMETRY);
export const startAiSpan = missing('startAiSpan', TELEMETRY);
export const startHarnessSpan = missing('startHarnessSpan', TELEMETRY);

export const streamProxy = missing('streamProxy', PROXY);
