import type { Handlers } from '../dispatcher.js';
import type { RpcServices } from '../services.js';

export function promptingHandlers({
  agent,
  prompting,
  extensions,
}: RpcServices): Pick<Handlers, 'prompt' | 'steer' | 'follow_up' | 'abort' | 'clear_queue' | 'abort_retry' | 'set_auto_retry'> {
  return {
    prompt: {
      order: 'ordered',
      early: ({ message }) => message.startsWith('/') && prompting.mayTakeTime(message),
      async run({ streamingBehavior, ...text }, call) {
        const whileRunning = streamingBehavior && (streamingBehavior === 'steer' ? 'steering' : 'followUp');
        const submitted = prompting.prompt(text, 'rpc', whileRunning);
        // A person may be asked on the way: an abort, and the next prompt, must not wait for that.
        if (prompting.mayTakeTime(text.message)) call.release();
        const { disposition, begin } = await submitted;
        if (begin) call.afterResponse(begin);
        return { disposition };
      },
    },
    steer: {
      order: 'ordered',
      run: async (text) => ({ disposition: (await prompting.queue(text, 'steering')).disposition }),
    },
    follow_up: {
      order: 'ordered',
      run: async (text) => ({ disposition: (await prompting.queue(text, 'followUp')).disposition }),
    },
    abort: {
      order: 'ordered',
      early: () => true,
      async run(_params, call) {
        extensions.runAborted();
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
