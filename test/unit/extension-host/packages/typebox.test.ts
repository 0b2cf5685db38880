import { expect, test } from 'vitest';
import { Type as FromPiAi } from '../../../../core/extension-host/packages/pi-ai.js';
import { Type } from '../../../../core/extension-host/packages/typebox.js';
import { Compile } from '../../../../core/extension-host/packages/typebox-compile.js';
import { Check, Parse, Value } from '../../../../core/extension-host/packages/typebox-value.js';

const Point = Type.Object({ x: Type.Number(), y: Type.Optional(Type.Number()) });

test('schemas are plain JSON Schema when they are written', () => {
  expect(JSON.parse(JSON.stringify(Point))).toEqual({
    type: 'object',
    required: ['x'],
    properties: { x: { type: 'number' }, y: { type: 'number' } },
  });
});

test('a schema made with one package is checked by the others', () => {
  expect(Check(Point, { x: 1 })).toBe(true);
  expect(Value.Check(Point, { y: 1 })).toBe(false);
  expect(Value.Convert(Point, { x: '4' })).toEqual({ x: 4 });
  expect(() => Parse(Point, { x: {} })).toThrow();
  const compiled = Compile(Point);
  expect(compiled.Check({ x: 1 })).toBe(true);
  expect(compiled.Check({ x: 'one' })).toBe(false);
  expect(FromPiAi).toBe(Type);
});
