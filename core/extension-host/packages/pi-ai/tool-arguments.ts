import { Errors } from 'typebox/value';
import type { JsonSchema } from '../../../protocol/tool.js';
import { repairValue } from '../../../tools/argument-repair.js';
import { checkValue, createScope, isObject } from '../../../tools/schema-check.js';

interface CheckedTool {
  name: string;
  parameters: object;
}
interface CalledTool {
  name: string;
  arguments: unknown;
}

/**
 * The arguments of a call, repaired by the tool's schema as the agent repairs them, in an object of their own. Throws an error that
 * names each field at fault, written for the model.
 */
export function validateToolArguments(tool: CheckedTool, call: CalledTool): Record<string, unknown> {
  const schema = tool.parameters as JsonSchema; // JSON Schema, whichever library made it
  const given = structuredClone(call.arguments ?? {});
  const args = repairValue({ ...schema, type: 'object' }, given, createScope(schema));
  if (isObject(args) && checkValue(schema, args, createScope(schema)) === 'yes') return args;
  const problems = Errors(schema, args).map(describe);
  if (problems.length === 0 && isObject(args)) return args;
  const lines = [...new Set(problems)].map((problem) => `  - ${problem}`);
  const received = JSON.stringify(call.arguments, null, 2);
  throw new Error(`Validation failed for tool "${call.name}":\n${lines.join('\n')}\n\nReceived arguments:\n${received}`);
}

/** {@link validateToolArguments} for the tool that the call names. */
export function validateToolCall(tools: readonly CheckedTool[], call: CalledTool): Record<string, unknown> {
  const tool = tools.find(({ name }) => name === call.name);
  if (!tool) throw new Error(`Tool "${call.name}" not found`);
  return validateToolArguments(tool, call);
}

function describe(error: { instancePath: string; keyword: string; message: string; params: object }): string {
  const missing = 'requiredProperties' in error.params ? error.params.requiredProperties : undefined;
  const parts = error.instancePath.split('/').slice(1);
  if (Array.isArray(missing)) return `${[...parts, missing.join(', ')].join('.')}: is required`;
  return `${parts.join('.') || 'arguments'}: ${error.message}`;
}
