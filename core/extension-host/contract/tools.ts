import { method } from './method.js';
import type { Infer } from './shape.js';
import { flag, json, jsonObject, list, nullable, oneOf, record, text, tuple } from './shape.js';

const TOOL_NAME = text(64);

export const ToolDefinitionShape = record(
  { name: TOOL_NAME, description: text(), parameters: jsonObject },
  {
    label: text(),
    promptSnippet: text(),
    promptGuidelines: list(text()),
    executionMode: oneOf('parallel', 'sequential'),
    /** It has a `prepareArguments` that wants the model's raw arguments. */
    prepares: flag,
    /** It can render its calls and results for the export. */
    renders: flag,
  },
);
/** A tool as it crosses: everything but its functions, which stay in the worker and are reached by extension and name. */
export type BridgedTool = Infer<typeof ToolDefinitionShape>;

const TextPart = record({ type: oneOf('text'), text: text() });
const ImagePart = record({ type: oneOf('image'), data: text(), mimeType: text() });

const ToolResultShape = record(
  {
    content: list((value, at): Infer<typeof TextPart> | Infer<typeof ImagePart> =>
      typeof value === 'object' && value !== null && (value as { type?: unknown }).type === 'image'
        ? ImagePart(value, at)
        : TextPart(value, at),
    ),
  },
  { details: json, usage: json, terminate: flag },
);
export type BridgedToolResult = Infer<typeof ToolResultShape>;

/** What the core may ask a worker. */
export const workerTools = {
  /** Arguments: extension, tool, toolCallId, arguments that passed `parameters`. An abort is given 2 s to end by itself. */
  'tools.execute': method({
    args: tuple(text(), TOOL_NAME, text(), jsonObject),
    result: ToolResultShape,
    progress: ToolResultShape,
    abortGraceMs: 2_000,
  }),
  /** Arguments: extension, tool, raw arguments. */
  'tools.prepare': method({ args: tuple(text(), TOOL_NAME, json), result: json, deadlineMs: 10_000 }),
  /** Arguments: extension, tool, and its call with its result. The lines of each, or null where it has no renderer. */
  'tools.render': method({
    args: tuple(text(), TOOL_NAME, jsonObject),
    result: record({ call: nullable(list(text())), result: nullable(list(text())) }),
    deadlineMs: 5_000,
  }),
};
