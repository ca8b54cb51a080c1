/**
 * Law: every text field of every request, with every code point: it is refused, or it comes out of intake as it went in,
 * without control characters and lone surrogates.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { ROUTES } from '../../src/gateway/api/routes.ts';
import type { Route } from '../../src/gateway/http/route.ts';
import { CONFIG_FIELDS } from '../../src/protocol/config/config-fields.ts';
import { readConfigJson, readConfigText } from '../../src/protocol/config/config-value.ts';
import { cleanTexts, isCleanText } from '../../src/protocol/text.ts';
import { cleanTextsOf, isUncleanCodePoint, uncleanTexts } from '../support/code-points.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly maxLength?: number;
}

/** A text field: the body with a text in it, and what stands there afterwards. */
interface Field {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly lengthMax: number;
  readonly bodyWith: (text: string) => unknown;
}

/** Their entries are read by the table of configuration fields, which has a test of its own below. */
const BY_FIELD_TABLE = new Set(['putConfigKv', 'putCkptConfig', 'putLogConfig']);
const TEXTS: Readonly<Record<string, string>> = {
  ttl: '720h',
  aggregation: 'sum',
  url: 'https://example.com/',
  secret: `whsec_${'A'.repeat(32)}`,
};

/** What stands for the schema, with `text` at the place `at` (a path of names); any valid value elsewhere. */
function bodyOf(schema: Schema, at: string, text: string, path = ''): unknown {
  if (path === at) return text;
  const inner = schema.anyOf?.find(({ type }) => type !== 'null');
  if (inner) return bodyOf(inner, at, text, path);
  if (schema.type === 'object') {
    const properties = Object.entries(schema.properties ?? {});
    if (properties.length === 0) return path !== '' && at.startsWith(`${path}.*`) ? { [text]: 1 } : {};
    return Object.fromEntries(properties.map(([name, of]) => [name, bodyOf(of, at, text, `${path}.${name}`)]));
  }
  if (schema.type === 'array') return [bodyOf(schema.items ?? {}, at, text, `${path}[]`)];
  if (schema.enum) return schema.enum[0];
  if (schema.format === 'date-time') return '2026-11-01T10:00:00.5Z';
  const name = path.slice(path.lastIndexOf('.') + 1);
  if (isText(schema)) return TEXTS[name] ?? 'a';
  return [schema.type].flat().includes('boolean') ? true : 1;
}

function isText({ type }: Schema): boolean {
  return type === 'string' || (Array.isArray(type) && type.includes('string'));
}

function* textPaths(schema: Schema, path = ''): Iterable<{ path: string; lengthMax: number }> {
  const inner = schema.anyOf?.find(({ type }) => type !== 'null');
  if (inner) yield* textPaths(inner, path);
  else if (isText(schema)) yield { path, lengthMax: schema.maxLength ?? 1_024 };
  else if (schema.type === 'array') yield* textPaths(schema.items ?? {}, `${path}[]`);
  else if (schema.propertyNames) yield { path: `${path}.*`, lengthMax: 128 };
  for (const [name, of] of Object.entries(schema.properties ?? {})) yield* textPaths(of, `${path}.${name}`);
}

/** Schemas with a name are referred to; here each stands where it is used. */
function inlined(document: { readonly $defs?: unknown }): Schema {
  const named = (document.$defs ?? {}) as Readonly<Record<string, unknown>>;
  const resolved = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(resolved);
    const { $ref, $defs: _, ...rest } = value as { readonly $ref?: string; readonly $defs?: unknown };
    const target = $ref === undefined ? {} : (resolved(named[$ref.replace('#/$defs/', '')]) as object);
    return { ...target, ...Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, resolved(inner)])) };
  };
  return resolved(document) as Schema;
}

function fields(): Field[] {
  return (ROUTES as readonly Route[]).flatMap(({ name, body }) => {
    if (!body?.schema || body.kinds.includes('bytes') || BY_FIELD_TABLE.has(name)) return [];
    const { schema } = body;
    const json = inlined(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }));
    return [...textPaths(json)].map(({ path, lengthMax }) => ({
      name: `${name}${path}`,
      schema,
      lengthMax,
      bodyWith: (text: string) => bodyOf(json, path, text),
    }));
  });
}

/** Every text in a value, keys included. */
function* textsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    yield key;
    yield* textsIn(inner);
  }
}

const FIELDS = fields();
/** Names of fields whose text is changed rather than refused: none of them names anything. */
const FREE =
  /\.(name|description|unit|agent\.version|engine|reason|labels\[\]|ips\[\]|hostName|cloud|arch|cpuModel|cpuVendor|zone|instanceType|region|payType|eventType|detail|action|adminGroups|accessKey|secretKey|token|userPoolID|clientID|identityPoolID)$/;

test('what is unclean is known by the standard’s ranges', () => {
  for (let code = 0; code <= 0x10ffff; code++)
    assert.equal(isCleanText(`a${String.fromCodePoint(code)}b`), !isUncleanCodePoint(code), code.toString(16));
});

test('the fields are all there, and each takes a body that is as it should be', () => {
  const names = FIELDS.map(({ name }) => name);
  for (const name of ['registerNode.instance.instanceId', 'postJobEvents.nodeOid', 'putMetric.labels[]'])
    assert.ok(names.includes(name), `${name} is not among ${names.join(' ')}`);
  for (const { name, schema, bodyWith } of FIELDS) {
    const parsed = schema.safeParse(bodyWith('#'));
    const paths = parsed.success ? [] : parsed.error.issues.map(({ path }) => path.join('.'));
    assert.ok(paths.length <= 1, `${name}: more than the text at hand is refused: ${paths.join(', ')}`);
  }
});

test('no schema lets a control character or half of a surrogate pair pass, and only free text is cleaned of it', () => {
  for (const { name, schema, bodyWith } of FIELDS) {
    for (const unclean of uncleanTexts()) {
      const text = `a${unclean}b`;
      assert.equal(schema.safeParse(bodyWith(text)).success, false, name);
      const warnings: string[] = [];
      const cleaned = schema.safeParse(cleanTexts(bodyWith(text), warnings));
      if (!FREE.test(name)) assert.equal(cleaned.success, false, `${name} names something, and takes another text`);
      else if (cleaned.success) {
        const texts = [...textsIn(cleaned.data)];
        assert.ok(texts.every(isCleanText) && texts.includes('ab'), name);
        assert.equal(warnings.length, 1, `${name} was changed without a word`);
      }
    }
  }
});

test('every other code point comes out of intake as it went in, or is refused', () => {
  for (const { name, schema, lengthMax, bodyWith } of FIELDS) {
    let taken = 0;
    for (const text of cleanTextsOf(Math.floor(lengthMax / 2))) {
      const warnings: string[] = [];
      const parsed = schema.safeParse(cleanTexts(bodyWith(text), warnings));
      assert.deepEqual(warnings, []);
      if (!parsed.success) continue;
      taken++;
      if (![...textsIn(parsed.data)].includes(text)) assert.fail(`${name} was changed`);
    }
    if (FREE.test(name)) assert.ok(taken > 1_000, `${name} refuses what is no control character`);
  }
});

test('no configuration field takes a control character, in either form', () => {
  const forms = (text: string): unknown[] => [text, [text], { [text]: 'a' }, { a: text }];
  for (const field of CONFIG_FIELDS) {
    for (const unclean of uncleanTexts()) {
      for (const text of [`/a${unclean}b.log`, `a${unclean}b`, `a:b${unclean}c`, `http://a${unclean}b`]) {
        assert.equal(readConfigText(field, text).ok, false, field.path);
        for (const value of forms(text)) assert.equal(readConfigJson(field, value).ok, false, field.path);
      }
    }
  }
});
