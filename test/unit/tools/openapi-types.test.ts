/** The types of the TypeScript client are what the schemas say. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ApiDocument, typesOf } from '../../../tools/openapi-types.ts';

function typeOf(schema: object): string {
  const text = typesOf({ paths: {}, components: { schemas: { It: schema } } } as ApiDocument);
  return (/ {4}It: (.*?);\n {2}\};/s.exec(text)?.[1] ?? '').replace(/\s+/g, ' ');
}

test('schemas become types', () => {
  const ref = { $ref: '#/components/schemas/Id' };
  assert.equal(typeOf({ type: ['integer', 'null'] }), 'number | null');
  assert.equal(typeOf({ type: 'string', enum: ["it's", 'b'] }), "'it\\'s' | 'b'");
  assert.equal(typeOf({ type: 'string', const: 'config' }), "'config'");
  assert.equal(
    typeOf({ type: 'array', items: { anyOf: [ref, { type: 'null' }] } }),
    "(components['schemas']['Id'] | null)[]",
  );
  assert.equal(typeOf({ type: 'object', additionalProperties: { type: 'number' } }), '{ [key: string]: number; }');
  assert.equal(
    typeOf({ type: 'object', properties: { a: ref, 'b.c': { type: 'string' } }, required: ['a'] }),
    "{ a: components['schemas']['Id']; 'b.c'?: string; }",
  );
});

test('a keyword that it cannot write is an error, not a type that is too wide', () => {
  assert.throws(() => typeOf({ allOf: [{ type: 'string' }] }), /cannot write allOf/);
});
