import * as z from 'zod';
import { ModelSchema, ThinkingLevelSchema } from '../model.js';
import { defineCommand } from './define.js';

export const setModelCommand = defineCommand({
  name: 'set_model',
  summary: 'Switch to a model that has credentials.',
  source: 'rpc-mode',
  params: z.object({ provider: z.string(), modelId: z.string() }),
  result: ModelSchema,
});

export const cycleModelCommand = defineCommand({
  name: 'cycle_model',
  summary: 'Switch to the next available model (of `--models`, when given); null when there is only one.',
  source: 'rpc-mode',
  params: z.object({}),
  result: z.object({ model: ModelSchema, thinkingLevel: ThinkingLevelSchema, isScoped: z.boolean() }).nullable(),
});

export const getAvailableModelsCommand = defineCommand({
  name: 'get_available_models',
  summary: 'Every model that has credentials.',
  source: 'rpc-mode',
  params: z.object({}),
  result: z.object({ models: z.array(ModelSchema) }),
});

export const setThinkingLevelCommand = defineCommand({
  name: 'set_thinking_level',
  summary: 'Set the thinking level; one the model lacks is lowered to one it has.',
  source: 'rpc-mode',
  params: z.object({ level: ThinkingLevelSchema }),
});

export const cycleThinkingLevelCommand = defineCommand({
  name: 'cycle_thinking_level',
  summary: 'Go to the next thinking level of the model; null when it cannot think.',
  source: 'rpc-mode',
  params: z.object({}),
  result: z.object({ level: ThinkingLevelSchema }).nullable(),
});

export const getAvailableThinkingLevelsCommand = defineCommand({
  name: 'get_available_thinking_levels',
  summary: 'The thinking levels of the current model; `["off"]` when it cannot think.',
  source: 'rpc-mode',
  params: z.object({}),
  result: z.object({ levels: z.array(ThinkingLevelSchema) }),
});
