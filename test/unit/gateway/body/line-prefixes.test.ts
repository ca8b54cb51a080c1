import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LinePrefixes, PREFIXES_MAX, UNKNOWN } from '../../../../src/gateway/body/line-prefixes.ts';

/** One object's beginning of a line, and a line that has it. */
function lineOf(objectId: string, end = '2026-05-01T08:15:00Z","value":1}'): { view: DataView; length: number } {
  const prefix = `{"objectId":"${objectId}","definitionId":"cpuPercent","time":"`;
  const bytes = Uint8Array.from(Buffer.from(prefix + end));
  return { view: new DataView(bytes.buffer), length: prefix.length };
}

function learn(prefixes: LinePrefixes, objectId: string): void {
  const { view, length } = lineOf(objectId);
  prefixes.learn(view, 0, length, objectId, 'cpuPercent');
}

function objectAt(prefixes: LinePrefixes, objectId: string): string | undefined {
  const found = prefixes.find(lineOf(objectId).view, 0);
  return found === UNKNOWN ? undefined : prefixes.objectIds[found];
}

test('a beginning is known after it was learnt, and by all of its bytes', () => {
  const prefixes = new LinePrefixes();
  assert.equal(objectAt(prefixes, 'a'), undefined);
  for (const id of ['a', 'b', 'ab', 'node-1234567890']) learn(prefixes, id);
  for (const id of ['a', 'b', 'ab', 'node-1234567890', 'b', 'a']) assert.equal(objectAt(prefixes, id), id);
  for (const id of ['c', 'aa', 'node-1234567891', '']) assert.equal(objectAt(prefixes, id), undefined);
  const cut = lineOf('a', '');
  assert.equal(prefixes.find(new DataView(cut.view.buffer, 0, cut.length - 1), 0), UNKNOWN, 'the line ends before');
});

test('a beginning is learnt once', () => {
  const prefixes = new LinePrefixes();
  for (let times = 0; times < 20; times++) learn(prefixes, 'a');
  assert.equal(prefixes.metrics.length, 1);
});

test('a beginning that is too long is not learnt', () => {
  const prefixes = new LinePrefixes();
  learn(prefixes, 'x'.repeat(600));
  assert.equal(prefixes.metrics.length, 0);
});

test('it is bounded, and learns others where it has hardly been of use for long', () => {
  const prefixes = new LinePrefixes();
  for (let i = 0; i < PREFIXES_MAX + 100; i++) learn(prefixes, `object-${i}`);
  assert.equal(prefixes.metrics.length, PREFIXES_MAX);
  assert.equal(objectAt(prefixes, 'object-7'), 'object-7', 'what it has stays');
  for (let i = 0; i < 5 * PREFIXES_MAX; i++) learn(prefixes, `other-${i}`);
  assert.ok(prefixes.metrics.length > 0 && prefixes.metrics.length <= PREFIXES_MAX);
  assert.equal(objectAt(prefixes, 'object-7'), undefined);
  const last = `other-${5 * PREFIXES_MAX - 1}`;
  assert.equal(objectAt(prefixes, last), last);
});
