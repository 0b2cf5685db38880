import { expect, test } from 'vitest';
import { withMember } from '../../../core/session/json-member.js';

const replaced = (object: string, key: string, value: string | null): string =>
  withMember(Buffer.from(object), key, value).toString();

test.each([
  ['{"id":"a","n":1.0e5}', 'id', 'b', '{"id":"b","n":1.0e5}'],
  ['{"n":12345678901234567890,"id" : "a" }', 'id', 'b', '{"n":12345678901234567890,"id" : "b" }'],
  ['{"x":{"id":"inner"},"id":"a"}', 'id', 'b', '{"x":{"id":"inner"},"id":"b"}'],
  ['{"\\u0069d":"a"}', 'id', 'b', '{"\\u0069d":"b"}'],
  ['{"id":"a","id":"z"}', 'id', 'b', '{"id":"a","id":"b"}'],
  ['{"parentId":"a"}', 'parentId', null, '{"parentId":null}'],
  ['{"a":"}"}', 'parentId', 'p', '{"a":"}","parentId":"p"}'],
  ['{ }', 'id', 'b', '{ "id":"b"}'],
  ['{"id":"a\\"b","ü":"ü"}', 'id', 'ü"', '{"id":"ü\\"","ü":"ü"}'],
])('%s with %s = %j becomes %s', (object, key, value, wanted) => {
  expect(replaced(object, key, value)).toBe(wanted);
  expect(JSON.parse(wanted)).toMatchObject({ [key]: value });
});
