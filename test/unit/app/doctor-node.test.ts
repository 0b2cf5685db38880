import { expect, it } from 'vitest';
import { checkNode } from '../../../core/app/doctor/check-machine.js';

it.each([
  ['18.20.0', 'fail'],
  ['20.18.3', 'fail'],
  ['20.19.0', 'ok'],
  ['22.0.0', 'ok'],
])('Node.js %s is %s', (version, status) => {
  expect(checkNode(version).status).toBe(status);
});
