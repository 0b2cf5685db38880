import { MessageChannel } from 'node:worker_threads';
import { wrap } from 'comlink';
import { afterEach, describe, expect, it } from 'vitest';
import { GatedEndpoint } from '../../../core/extension-host/process/gated-endpoint.js';

interface Control {
  load(name: string): Promise<unknown>;
}

describe('comlink behind the gate', () => {
  let close: () => void = () => undefined;
  afterEach(() => close());

  /** A worker that answers a request with whatever `answer` makes of it. */
  function wrapped(answer: (id: string) => unknown[]) {
    const { port1, port2 } = new MessageChannel();
    close = () => port1.close();
    let refused = 0;
    const endpoint = new GatedEndpoint((message) => port1.postMessage(message));
    port1.on('message', (message) => {
      if (!endpoint.deliver(message)) refused++;
    });
    port2.on('message', ({ id }: { id: string }) => {
      for (const message of answer(id)) port2.postMessage(message);
    });
    return { control: wrap<Control>(endpoint), refused: () => refused };
  }

  it('takes plain answers', async () => {
    const { control, refused } = wrapped((id) => [{ id, type: 'RAW', value: { message: 'no' } }]);
    await expect(control.load('a')).resolves.toEqual({ message: 'no' });
    expect(refused()).toBe(0);
  });

  it.each<[string, (id: string) => unknown]>([
    ['a call into our thread', () => ({ id: 'x', type: 'APPLY', path: ['constructor'], argumentList: [] })],
    ['a construction', () => ({ id: 'x', type: 'CONSTRUCT', path: ['load', 'constructor'], argumentList: [] })],
    ['a change of a prototype', () => ({ id: 'x', type: 'SET', path: ['__proto__', 'a'], value: { type: 'RAW', value: 1 } })],
    ['a proxy as the answer', (id) => ({ id, type: 'HANDLER', name: 'proxy', value: null })],
    ['a thrown value as the answer', (id) => ({ id, type: 'HANDLER', name: 'throw', value: { isError: false, value: 1 } })],
    ['nothing', () => null],
    ['a text', () => 'text'],
  ])('lets %s not reach comlink, and takes the true answer after it', async (_what, forged) => {
    const { control, refused } = wrapped((id) => [forged(id), { id, type: 'RAW', value: 'true' }]);
    await expect(control.load('a')).resolves.toBe('true');
    expect(refused()).toBe(1);
  });
});
