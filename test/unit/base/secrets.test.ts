import { expect, it } from 'vitest';
import { addSecret, addSecretSource, redact } from '../../../core/base/secrets.js';

it('replaces a secret in each form it is written in', () => {
  const secret = 'p"ss/word 71e1';
  addSecret(secret);
  const forms = [secret, JSON.stringify(secret), encodeURIComponent(secret), Buffer.from(secret).toString('base64')];
  for (const form of forms) expect(redact(`a ${form} b`)).not.toContain(form.replace(/^"|"$|=+$/g, ''));
  expect(redact(JSON.stringify({ key: secret }))).toBe('{"key":"[secret]"}');
});

it('leaves what is too short to be a key alone', () => {
  addSecret('short');
  addSecret(undefined);
  expect(redact('a short text')).toBe('a short text');
});

it('asks its sources each time, until they are taken back', () => {
  let now = ['secret-of-71e2'];
  const remove = addSecretSource(() => now);
  expect(redact('secret-of-71e2 secret-of-71e3')).toBe('[secret] secret-of-71e3');
  now = ['secret-of-71e3'];
  expect(redact('secret-of-71e2 secret-of-71e3')).toBe('[secret] [secret]');
  remove();
  now = ['secret-of-71e4'];
  expect(redact('secret-of-71e4')).toBe('secret-of-71e4');
});
