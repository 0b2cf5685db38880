import type { AgentEvent } from '../../../protocol/events.js';
import type { Handlers } from '../dispatcher.js';
import type { RpcServices } from '../services.js';

export function bashHandlers({ agent }: RpcServices, send: (event: AgentEvent) => void): Pick<Handlers, 'bash' | 'abort_bash'> {
  return {
    bash: {
      order: 'ordered',
      run(params, call) {
        const id = call.id === undefined ? {} : { id: call.id };
        const result = agent.bash(params.command, {
          excludeFromContext: params.excludeFromContext ?? false,
          onOutput: (delta) => send({ type: 'bash_execution_update', ...id, delta }),
        });
        // Several may run at once: only their start is ordered.
        call.release();
        return result;
      },
    },
    abort_bash: { order: 'ordered', early: () => true, run: () => void agent.abortBash() },
  };
}
