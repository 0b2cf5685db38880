import type { Handlers } from '../dispatcher.js';
import type { RpcServices } from '../services.js';

export function extensionHandlers({
  extensions,
}: RpcServices): Pick<Handlers, 'get_extensions' | 'reload' | 'get_tools' | 'set_active_tools'> {
  return {
    get_extensions: { order: 'now', run: () => ({ extensions: extensions.info() }) },
    reload: {
      order: 'ordered',
      async run() {
        await extensions.reload();
        return undefined;
      },
    },
    get_tools: { order: 'ordered', run: () => ({ tools: extensions.toolInfo() }) },
    set_active_tools: { order: 'ordered', run: ({ tools }) => ({ tools: extensions.setActiveTools(tools) }) },
  };
}
