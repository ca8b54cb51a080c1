import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanTexts, TEXT_LENGTH_MAX } from '../../../src/protocol/text.ts';

const long = 'x'.repeat(TEXT_LENGTH_MAX + 1);

test('short texts, numbers and nothing pass as they are, without a warning', () => {
  const warnings: string[] = [];
  const value = { id: 'a', deep: [{ n: 1, none: null, yes: true, text: 'x'.repeat(TEXT_LENGTH_MAX) }] };
  assert.deepEqual(cleanTexts(structuredClone(value), warnings), value);
  assert.deepEqual(warnings, []);
});

test('a long text is cut wherever it stands, and the warning names the place', () => {
  const warnings: string[] = [];
  const cut = cleanTexts({ name: long, events: [{ eventType: 'Job-Running' }, { containerId: long }] }, warnings);
  const expected = 'x'.repeat(TEXT_LENGTH_MAX);
  assert.deepEqual(cut, { name: expected, events: [{ eventType: 'Job-Running' }, { containerId: expected }] });
  assert.deepEqual(warnings, [
    'name was cut from 1025 to 1024 characters',
    'events[1].containerId was cut from 1025 to 1024 characters',
  ]);
});

test('a text is not cut between the halves of a surrogate pair', () => {
  const straddling = `${'x'.repeat(TEXT_LENGTH_MAX - 1)}\u{1f600}tail`;
  assert.equal(cleanTexts(straddling, []), 'x'.repeat(TEXT_LENGTH_MAX - 1));
  const before = `${'x'.repeat(TEXT_LENGTH_MAX - 2)}\u{1f600}tail`;
  assert.equal(cleanTexts(before, []), `${'x'.repeat(TEXT_LENGTH_MAX - 2)}\u{1f600}`);
});

test('a hostile depth ends the search, and a hostile key is only a key', () => {
  let deep: unknown = long;
  for (let i = 0; i < 10_000; i++) deep = [deep];
  const warnings: string[] = [];
  cleanTexts(deep, warnings);
  assert.deepEqual(warnings, []);
  const hostile = JSON.parse(`{"__proto__": {"polluted": "${long}"}}`) as object;
  cleanTexts(hostile, warnings);
  assert.equal(warnings.length, 1);
  assert.ok(!('polluted' in {}));
  assert.equal(Object.getPrototypeOf(hostile), Object.prototype);
});

test('the list of warnings is bounded, the cutting is not', () => {
  const warnings: string[] = [];
  const cut = cleanTexts(new Array(100).fill(long), warnings) as string[];
  assert.equal(warnings.length, 32);
  assert.ok(cut.every((text) => text.length === TEXT_LENGTH_MAX));
});

test('control characters and lone surrogates leave free text, each with a warning that names the place', () => {
  const warnings: string[] = [];
  const sent = { name: 'a\tb\n', deep: [{ hostName: '\u0085x\ud800' }], ips: ['\u007f', 'ok \u{1f600}'] };
  assert.deepEqual(cleanTexts(sent, warnings), { name: 'ab', deep: [{ hostName: 'x' }], ips: ['', 'ok \u{1f600}'] });
  assert.deepEqual(
    warnings,
    ['name', 'deep[0].hostName', 'ips[0]'].map((path) => `${path} held control characters, which were removed`),
  );
});

test('a reference is not changed into another one: it is left for the schema to refuse', () => {
  const warnings: string[] = [];
  const sent = { id: 'a\n', batchJobIds: ['b', 'c\t'], events: [{ nodeOid: 'd\r\n', volumnId: '\0' }] };
  assert.deepEqual(cleanTexts(structuredClone(sent), warnings), sent);
  assert.deepEqual(warnings, []);
});

test('a text is measured without what was removed from it', () => {
  const warnings: string[] = [];
  assert.equal(cleanTexts(`\n${'x'.repeat(TEXT_LENGTH_MAX)}`, warnings), 'x'.repeat(TEXT_LENGTH_MAX));
  assert.equal(warnings.length, 1);
});
