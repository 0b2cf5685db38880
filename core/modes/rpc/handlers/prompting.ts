import { toUserMessage } from '../../user-message.js';
import type { Handlers } from '../dispatcher.js';
import type { RpcServices } from '../services.js';

export function promptingHandlers({
  agent,
}: RpcServices): Pick<Handlers, 'prompt' | 'steer' | 'follow_up' | 'abort' | 'clear_queue' | 'abort_retry' | 'set_auto_retry'> {
  return {
    prompt: {
      order: 'ordered',
      async run(params, call) {
        const whileRunning = params.streamingBehavior && (params.streamingBehavior === 'steer' ? 'steering' : 'followUp');
        const { disposition, begin } = await agent.prompt(toUserMessage(params, Date.now()), whileRunning);
        if (begin) call.afterResponse(begin);
        return { disposition };
      },
    },
    steer: {
      order: 'ordered',
      run: (params) => ({ disposition: agent.queue('steering', toUserMessage(params, Date.now())).disposition }),
    },
    follow_up: {
      order: 'ordered',
      run: (params) => ({ disposition: agent.queue('followUp', toUserMessage(params, Date.now())).disposition }),
    },
    abort: {
      order: 'ordered',
      async run(_params, call) {
        const quiet = agent.abort();
        call.release();
        await quiet;
        return undefined;
      },
    },
    clear_queue: { order: 'ordered', run: () => agent.queues.clear() },
    abort_retry: { order: 'now', run: () => void agent.abortRetry() },
    set_auto_retry: { order: 'ordered', run: ({ enabled }) => void agent.setRetryEnabled(enabled) },
  };
}
