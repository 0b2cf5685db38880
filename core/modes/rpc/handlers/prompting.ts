import type { Params, Result } from '../../../protocol/commands/index.js';
import { toUserMessage } from '../../user-message.js';
import type { Handlers } from '../dispatcher.js';
import type { RpcServices } from '../services.js';

export function promptingHandlers({
  agent,
  expand,
}: RpcServices): Pick<Handlers, 'prompt' | 'steer' | 'follow_up' | 'abort' | 'clear_queue' | 'abort_retry' | 'set_auto_retry'> {
  const queue = async (kind: 'steering' | 'followUp', params: Params<'steer'>): Promise<Result<'steer'>> => {
    const message = toUserMessage({ ...params, message: await expand(params.message) }, Date.now());
    return { disposition: agent.queue(kind, message).disposition };
  };
  return {
    prompt: {
      order: 'ordered',
      async run(params, call) {
        const whileRunning = params.streamingBehavior && (params.streamingBehavior === 'steer' ? 'steering' : 'followUp');
        const message = toUserMessage({ ...params, message: await expand(params.message) }, Date.now());
        const { disposition, begin } = await agent.prompt(message, whileRunning);
        if (begin) call.afterResponse(begin);
        return { disposition };
      },
    },
    steer: {
      order: 'ordered',
      run: (params) => queue('steering', params),
    },
    follow_up: {
      order: 'ordered',
      run: (params) => queue('followUp', params),
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
