/** How a timeline is zoomed by steps. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canStep, pinched, stepped } from '../../../../../web/src/pages/jobs/timeline/zoom.ts';

const MINUTE = 60_000;
const whole = { startMs: 0, endMs: 80 * MINUTE };
const stretch = (from: number, to: number) => ({ startMs: from * MINUTE, endMs: to * MINUTE });

test('a step in shows half, a step out twice as much, and at last everything', () => {
  assert.deepEqual(stepped('in', undefined, whole), stretch(20, 60));
  assert.deepEqual(stepped('in', stretch(20, 60), whole), stretch(30, 50));
  assert.deepEqual(stepped('out', stretch(30, 50), whole), stretch(20, 60));
  assert.equal(stepped('out', stretch(20, 60), whole), undefined);
  assert.equal(canStep('out', undefined, whole), false);
});

test('steps along show what lies beside, as far as the ends', () => {
  assert.deepEqual(stepped('later', stretch(20, 40), whole), stretch(30, 50));
  assert.deepEqual(stepped('later', stretch(55, 75), whole), stretch(60, 80));
  assert.deepEqual(stepped('earlier', stretch(5, 25), whole), stretch(0, 20));
  assert.deepEqual(stepped('out', stretch(0, 10), whole), stretch(0, 20));
  assert.equal(canStep('later', stretch(60, 80), whole), false);
  assert.equal(canStep('earlier', undefined, whole), false);
});

test('what is between two fingers stays between them: apart they zoom in, together out, and at last to everything', () => {
  const from = (a: number, b: number) => ({ from: a, to: b });
  assert.deepEqual(pinched(from(0.4, 0.2), from(0.6, 0.8), undefined, whole), stretch(80 / 3, 160 / 3));
  assert.deepEqual(pinched(from(0, 0.25), from(1, 0.75), stretch(30, 50), whole), stretch(20, 60));
  assert.deepEqual(pinched(from(0, 0), from(0.5, 1), stretch(20, 40), whole), stretch(20, 30));
  assert.equal(pinched(from(0.1, 0.4), from(0.9, 0.6), stretch(20, 60), whole), undefined);
  assert.equal(pinched(from(0.5, 0.2), from(0.51, 0.8), undefined, whole), undefined, 'one finger');
});

test('a stretch does not become shorter than ten seconds', () => {
  const short = { startMs: 0, endMs: 12_000 };
  assert.deepEqual(stepped('in', short, whole), { startMs: 1_000, endMs: 11_000 });
  assert.equal(canStep('in', { startMs: 0, endMs: 10_000 }, whole), false);
});
