import type { Handlers } from '../dispatcher.js';
import type { RpcServices } from '../services.js';

export function modelHandlers({
  models,
  source,
}: RpcServices): Pick<
  Handlers,
  | 'set_model'
  | 'cycle_model'
  | 'get_available_models'
  | 'set_thinking_level'
  | 'cycle_thinking_level'
  | 'get_available_thinking_levels'
> {
  return {
    set_model: { order: 'ordered', run: ({ provider, modelId }) => models.set(provider, modelId) },
    cycle_model: { order: 'ordered', run: async () => (await models.cycle()) ?? null },
    get_available_models: { order: 'ordered', run: async () => ({ models: [...(await source.available())] }) },
    set_thinking_level: { order: 'ordered', run: ({ level }) => void models.setLevel(level) },
    cycle_thinking_level: {
      order: 'ordered',
      run: () => {
        const level = models.cycleLevel();
        return level === undefined ? null : { level };
      },
    },
    get_available_thinking_levels: { order: 'now', run: () => ({ levels: [...models.levels] }) },
  };
}
