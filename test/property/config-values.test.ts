/** Law: configKV's string form and the JSON form of a value are the same value, for every field that is declared. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeConfigByJson, changeConfigByText, flattenConfig, newConfig } from '../../src/protocol/config/config.ts';
import {
  CONFIG_FIELDS,
  type ConfigField,
  type ConfigValue,
  type FieldKind,
} from '../../src/protocol/config/config-fields.ts';
import { readConfigJson, readConfigText } from '../../src/protocol/config/config-value.ts';
import { formatDuration } from '../../src/protocol/duration.ts';
import { CONFIG_SEEDS } from '../support/config-seeds.ts';
import fc from '../support/laws/fast-check.ts';

/** A piece of a list or map that the string form can carry: no comma, nothing that trimming would take. */
const entry = fc
  .string({
    unit: fc.constantFrom('a', 'B', '7', '/', '.', '=', ' ', ':', '-', 'é', '"', '\\'),
    minLength: 1,
    maxLength: 12,
  })
  .map((text) => text.trim())
  .filter((text) => text !== '');
/** For the one list whose entries have a form of their own. */
const origin = fc.constantFrom('http://a', 'https://b.example:8443', 'https://[::1]:3000', 'http://127.0.0.1');
const mapKey = entry.filter((text) => !text.includes(':'));
const mapValue = fc.oneof(entry, fc.constant(''));

/** The grammar by itself: what GET shows → what configKV is sent for it. */
function textOf(value: ConfigValue): string {
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .map(([key, inner]) => `${key}:${inner}`)
      .join(',');
  return String(value);
}

function valueFor(kind: FieldKind): fc.Arbitrary<ConfigValue> {
  switch (kind.type) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.integer({ min: kind.min, max: kind.max });
    case 'duration':
      return fc.bigInt({ min: 1n, max: 64_800_000_000_000_000n }).map(formatDuration);
    case 'enum':
      return fc.constantFrom(...kind.values);
    case 'list':
      return fc.array(kind.entry ? origin : entry, { maxLength: 5 });
    case 'map':
      if (kind.pairFault)
        return fc.dictionary(fc.constantFrom('a', 'b%3Ac', 'ops'), fc.constantFrom('viewer', 'operator@q', 'admin'), {
          noNullPrototype: true,
        });
      return fc
        .uniqueArray(fc.tuple(mapKey, mapValue), { selector: ([key]) => key, maxLength: 5 })
        .map((pairs) => Object.fromEntries(pairs));
    case 'address':
      return fc
        .tuple(
          fc.constantFrom('http', 'https'),
          fc.constantFrom('0.0.0.0', 'localhost', '[::1]'),
          fc.integer({ min: 1, max: 65_535 }),
        )
        .map(([scheme, host, port]) => `${scheme}://${host}:${port}`);
    case 'string':
      return kind.pattern
        ? entry.map((text) => `/${text}/x.log`)
        : fc.string({ maxLength: 40 }).filter((text) => !text.includes('\0'));
  }
}

const declared: fc.Arbitrary<readonly [ConfigField, ConfigValue]> = fc
  .constantFrom(...CONFIG_FIELDS)
  .chain((field) => valueFor(field.kind).map((value) => [field, value] as const));

test('a value is read from its string form and from its JSON form as itself', () => {
  fc.assert(
    fc.property(declared, ([field, value]) => {
      assert.deepEqual(readConfigJson(field, value), { ok: true, value });
      assert.deepEqual(readConfigText(field, textOf(value)), { ok: true, value });
    }),
    { numRuns: 2_000 },
  );
});

test('spaces around the commas and colons of a list or map mean nothing', () => {
  const space = fc.constantFrom('', ' ', '  ', '\t');
  fc.assert(
    fc.property(declared, space, space, ([field, value], before, after) => {
      if (field.kind.type !== 'list' && field.kind.type !== 'map') return;
      const text = textOf(value);
      if (text === '') return;
      const spaced = `${before}${text.replaceAll(',', `${before},${after}`)}${after}`;
      assert.deepEqual(readConfigText(field, spaced), { ok: true, value });
    }),
    { numRuns: 2_000 },
  );
});

const anyText = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc
    .array(fc.constantFrom('a', ',', ':', ' ', '1', '-', '.', 's', 'true', '5m', '__proto__'), { maxLength: 8 })
    .map((all) => all.join('')),
);

test('whatever text is taken stands for one value, which is taken again as itself', () => {
  fc.assert(
    fc.property(fc.constantFrom(...CONFIG_FIELDS), anyText, (field, text) => {
      const first = readConfigText(field, text);
      if (!first.ok) {
        assert.match(first.reason, /^[a-z]/, 'a reason continues the name of the field');
        return;
      }
      assert.deepEqual(readConfigText(field, textOf(first.value)), first);
      assert.deepEqual(readConfigJson(field, first.value), first);
    }),
    { numRuns: 3_000 },
  );
});

const CONFIG = newConfig(CONFIG_SEEDS);
const changeable = CONFIG_FIELDS.filter(({ fixed }) => !fixed);
const changes = fc
  .uniqueArray(
    fc.constantFrom(...changeable).chain((field) => valueFor(field.kind).map((value) => [field.path, value] as const)),
    { selector: ([path]) => path, maxLength: 6 },
  )
  .map((pairs) => Object.fromEntries(pairs));

/** Fields between which there is a relation that good values can break. */
const RELATED = ['node.ttl', 'node.heartbeat', 'addr', 'security.clientCAFile'];

test('both forms of a change have the same outcome, and what was not asked to change did not', () => {
  fc.assert(
    fc.property(changes, (values) => {
      const texts = Object.fromEntries(Object.entries(values).map(([path, value]) => [path, textOf(value)]));
      const byText = changeConfigByText(CONFIG, texts);
      assert.deepEqual(byText, changeConfigByJson(CONFIG, values));
      if (!byText.ok) {
        assert.ok(Object.keys(byText.fields).every((path) => RELATED.includes(path)));
        return;
      }
      const [before, after] = [flattenConfig(CONFIG), flattenConfig(byText.config)];
      for (const [path, value] of after) {
        assert.deepEqual(value, Object.hasOwn(values, path) ? values[path] : before.get(path), path);
        const isNew = JSON.stringify(value) !== JSON.stringify(before.get(path));
        assert.equal(byText.changed.includes(path), isNew, path);
      }
    }),
    { numRuns: 1_000 },
  );
});
