import { method, note } from './method.js';
import type { Infer } from './shape.js';
import { flag, jsonObject, list, oneOf, record, text, tuple } from './shape.js';
import { ToolDefinitionShape } from './tools.js';

const CommandShape = record({ name: text(200) }, { description: text() });
export type BridgedCommand = Infer<typeof CommandShape>;

const FlagShape = record({ name: text(200), type: oneOf('boolean', 'string') }, { description: text() });
export type BridgedFlag = Infer<typeof FlagShape>;

/** A provider as data; what of it are functions stays in the worker, and the marks say which there are. */
const ProviderShape = record({ name: text(200), config: jsonObject, streams: flag });
export type BridgedProvider = Infer<typeof ProviderShape>;

const RegistrationsShape = record({
  events: list(text(200), 1_000),
  tools: list(ToolDefinitionShape, 256),
  commands: list(CommandShape, 1_000),
  flags: list(FlagShape, 1_000),
  providers: list(ProviderShape, 256),
});
/** All that a factory has registered, told at once: a factory that fails half-way has told nothing. */
export type BridgedRegistrations = Infer<typeof RegistrationsShape>;

/** What a worker asks while its thread waits: the answer is there before the next line of the extension runs. */
export const coreRegistrations = {
  'register.all': method({ args: tuple(text(), RegistrationsShape), result: flag }),
  'register.tool': method({ args: tuple(text(), ToolDefinitionShape), result: flag }),
  'register.command': method({ args: tuple(text(), CommandShape), result: flag }),
  'register.flag': method({ args: tuple(text(), FlagShape), result: flag }),
  'register.provider': method({ args: tuple(text(), ProviderShape), result: flag }),
  'register.no_provider': method({ args: tuple(text(), text(200)), result: flag }),
};

/** A command's handler, its arguments as typed. Rejects with what the handler threw. Progress: it has begun. */
export const workerCommands = {
  'commands.run': method({ args: tuple(text(), text(200), text()), result: flag, progress: flag }),
};

export const coreBus = {
  /** A message on `pi.events`, for listeners in other workers: extension, channel, what JSON can hold of the data. */
  'bus.emit': note(
    tuple(
      text(),
      text(200),
      list((value: unknown) => value, 1),
    ),
  ),
};
export const workerBus = {
  'bus.emit': note(
    tuple(
      text(200),
      list((value: unknown) => value, 1),
    ),
  ),
};
