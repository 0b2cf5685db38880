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

it('hides all of a secret that another one begins', () => {
  addSecret('secret-71e5');
  addSecret('secret-71e5-and-more');
  expect(redact('a secret-71e5-and-more b')).toBe('a [secret] b');
});

it.each(['u', 'us', 'use'])('finds a secret in Basic credentials of the user "%s"', (user) => {
  const secret = 'secret-of-basic-71e6';
  addSecret(secret);
  const text = Buffer.from(`${user}:${secret}`).toString('base64');
  expect(Buffer.from(redact(text).replace('[secret]', ''), 'base64').toString('latin1')).not.toMatch(/secret|basic|71e6/);
  expect(redact(text)).toContain('[secret]');
});

it.each([
  ['in JSON within JSON', (secret: string) => JSON.stringify(JSON.stringify(secret))],
  ['in a form', (secret: string) => new URLSearchParams({ key: secret }).toString()],
  ['with small escapes', (secret: string) => encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
])('finds a secret %s', (_, write) => {
  const secret = 'p"ss/word +71e7';
  addSecret(secret);
  expect(redact(write(secret))).toContain('[secret]');
  expect(redact(write(secret))).not.toContain('71e7');
});

it('takes half a surrogate pair for what it is', () => {
  addSecret('secret-\ud800-71e8');
  expect(redact('a secret-\ud800-71e8 b')).toBe('a [secret] b');
});
