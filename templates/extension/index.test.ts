import { createTestSession } from 'pi-platform/testing';
import { expect, it } from 'vitest';

const extension = new URL('./index.ts', import.meta.url);

it('asks what to note, and keeps the answer', async () => {
  await using session = await createTestSession({ extension, dialogs: ['call Ada'] });
  await session.prompt('/__name__');
  expect(session.dialogs).toMatchObject([{ method: 'input', title: 'What shall be noted?' }]);
  expect(await session.entries()).toContainEqual(expect.objectContaining({ customType: '__name__', data: 'call Ada' }));
});

it('keeps nothing when the dialog is dismissed', async () => {
  await using session = await createTestSession({ extension, dialogs: [null] });
  await session.prompt('/__name__');
  expect(session.notices).toEqual([]);
});

it('lets the model read the notes', async () => {
  await using session = await createTestSession({ extension });
  await session.prompt('/__name__ buy milk');
  await session.prompt('/__name__ call Ada');
  expect(await session.callTool('__tool__', { word: 'milk' })).toMatchObject({ text: 'buy milk', details: { count: 1 } });
});
