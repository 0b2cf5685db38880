import { describe, expect, it } from 'vitest';
import { type DialogAnswer, DialogScript } from '../../../core/testing/dialog-script.js';

function play(answers: DialogAnswer[], ...dialogs: Record<string, unknown>[]): { script: DialogScript; said: object[] } {
  const said: object[] = [];
  const script = new DialogScript(answers, (response) => said.push(response));
  for (const [at, dialog] of dialogs.entries()) script.opened({ id: String(at), title: 'T', ...dialog });
  return { script, said };
}

const confirm = { method: 'confirm' };
const input = { method: 'input' };
const select = { method: 'select', options: ['a', 'b'] };

describe('answers of a script', () => {
  it('are taken in their order by dialogs of their kind', () => {
    const { said } = play([true, 'b', 'free', false], input, confirm, select, confirm);
    // "b" fits the first input too: it comes first.
    expect(said).toEqual([
      { id: '0', value: 'b' },
      { id: '1', confirmed: true },
      { id: '2', cancelled: true },
      { id: '3', confirmed: false },
    ]);
  });

  it('go to the dialog they name', () => {
    const { script, said } = play(
      [
        { title: 'Second', answer: 'two' },
        { title: /^fir/i, method: 'input', answer: 'one' },
      ],
      { ...input, title: 'First' },
      { ...input, title: 'Second' },
    );
    expect(said).toEqual([
      { id: '0', value: 'one' },
      { id: '1', value: 'two' },
    ]);
    expect(script.seen.map(({ answer, scripted }) => [answer, scripted])).toEqual([
      ['one', true],
      ['two', true],
    ]);
  });

  it('that are used up leave a dialog dismissed, and null dismisses any', () => {
    const { script, said } = play([null], confirm, input);
    expect(said).toEqual([
      { id: '0', cancelled: true },
      { id: '1', cancelled: true },
    ]);
    expect(script.seen.map(({ scripted }) => scripted)).toEqual([true, false]);
  });

  it.each([
    [{ answer: 'c' }, select, '"c" is no option of "T": a, b'],
    [{ answer: 'yes' }, confirm, 'The confirm "T" can\'t be answered with "yes"'],
    [{ answer: true }, input, 'The input "T" can\'t be answered with true'],
  ])('%j for %j dismisses it, and is a problem of the script', (answer, dialog, message) => {
    const { script, said } = play([answer], dialog);
    expect(said).toEqual([{ id: '0', cancelled: true }]);
    expect(script.problem?.message).toBe(message);
  });

  it('can leave a dialog open, which is answered later, once', () => {
    const { script, said } = play([{ unanswered: true }], select);
    expect(said).toEqual([]);
    expect(() => script.answer('0', 'c')).toThrow('no option');
    script.answer('0', 'a');
    expect(said).toEqual([{ id: '0', value: 'a' }]);
    expect(() => script.answer('0', 'a')).toThrow('no open dialog');
    expect(() => script.answer('x', null)).toThrow('no open dialog');
  });

  it('come too late for one that was withdrawn', () => {
    const { script, said } = play([{ unanswered: true }], input);
    script.withdrawn('0');
    expect(script.seen[0]?.answer).toBeNull();
    expect(() => script.answer('0', 'late')).toThrow('no open dialog');
    expect(said).toEqual([]);
  });
});
