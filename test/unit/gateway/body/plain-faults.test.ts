/** The words for what a schema does not take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { CodedError } from '../../../../src/base/errors.ts';
import { validate } from '../../../../src/gateway/body/parse-body.ts';

const schema = z.strictObject({
  name: z.string().min(1).max(5).optional(),
  count: z.number().int().positive().max(9).optional(),
  share: z.number().min(0).optional(),
  on: z.boolean().optional(),
  role: z.enum(['viewer', 'operator']).optional(),
  kind: z.literal('fixed').optional(),
  list: z.array(z.string()).min(1).max(2).optional(),
  map: z.record(z.string(), z.string()).optional(),
  byId: z.record(z.string().regex(/^\w+$/, 'is not a word'), z.number()).optional(),
  part: z.object({ id: z.string() }).optional(),
  ttl: z.union([z.string(), z.number()]).optional(),
  own: z.string('wants to be a text of its own').optional(),
});

const faults = (value: unknown, of: z.ZodType = schema): unknown => {
  try {
    validate(of, value);
    return null;
  } catch (error) {
    assert.ok(error instanceof CodedError);
    return error.fields;
  }
};

test('a fault says in plain words what is wrong with the field', () => {
  const cases: ReadonlyArray<readonly [value: object, fields: object]> = [
    [{ name: 5 }, { name: 'is not a string' }],
    [{ name: '' }, { name: 'is empty' }],
    [{ name: 'abcdef' }, { name: 'has more than 5 characters' }],
    [{ count: 'x' }, { count: 'is not a number' }],
    [{ count: 1.5 }, { count: 'is not a whole number' }],
    [{ count: 0 }, { count: 'is not above 0' }],
    [{ count: 10 }, { count: 'is above 9' }],
    [{ share: -1 }, { share: 'is below 0' }],
    [{ on: 'yes' }, { on: 'is not true or false' }],
    [{ role: 'king' }, { role: 'is not one of viewer, operator' }],
    [{ kind: 'x' }, { kind: 'is not fixed' }],
    [{ list: {} }, { list: 'is not a list' }],
    [{ list: [] }, { list: 'is empty' }],
    [{ list: ['a', 'b', 'c'] }, { list: 'has more than 2 entries' }],
    [{ list: [1] }, { 'list.0': 'is not a string' }],
    [{ map: [] }, { map: 'is not an object' }],
    [{ byId: { 'a b': 1 } }, { 'byId.a b': 'is a name that is not a word' }],
    [{ part: {} }, { 'part.id': 'is missing' }],
    [{ ttl: true }, { ttl: 'has none of the forms that are allowed here' }],
    [{ own: 1 }, { own: 'wants to be a text of its own' }],
    [{ a: 1, b: 2 }, { body: 'has fields that are not known: a, b' }],
  ];
  for (const [value, fields] of cases) assert.deepEqual(faults(value), fields, JSON.stringify(value));
  const needed = z.object({ ttl: z.union([z.string(), z.number()]), name: z.string() });
  assert.deepEqual(faults({}, needed), { ttl: 'is missing', name: 'is missing' });
  assert.deepEqual(faults([], schema), { body: 'is not an object' });
});
