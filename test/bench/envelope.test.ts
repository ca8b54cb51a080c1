/** What the envelope says follows from its figures, and a late generator is never taken for a figure of the server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Climb, isLast, type Step, verdictOf } from '../../bench/envelope/climb.ts';
import { pageOf } from '../../bench/envelope/page.ts';

const step = (size: number, figures: Step['figures'], generatorLateMs = 1): Step => ({
  size,
  figures,
  cpuMicroseconds: 25,
  generatorLateMs,
});
const climb = (...steps: readonly Step[]): Climb => ({ name: 'single beats', unit: 'beats/s', how: 'So.', steps });

test('a climb holds up to the step before the first that breaks, and names what broke', () => {
  const steps = [step(1_000, { p99Ms: 100, refused: 0 }), step(2_000, { p99Ms: 101, refused: 7 })];
  assert.deepEqual(steps.map(isLast), [false, true]);
  assert.deepEqual(verdictOf(climb(...steps)), { holds: 1_000, beyond: 'at 2,000 beats/s: p99 101 ms' });
  assert.deepEqual(verdictOf(climb(step(1_000, { p99Ms: 1 }))), { holds: 1_000, beyond: 'nothing larger was tried' });
  assert.equal(verdictOf(climb(step(5, { memoryMiB: 2_049 }))).holds, null);
});

test('a step at which the generator was late decides nothing, whatever its figures say', () => {
  const late = step(2_000, { p99Ms: 500 }, 26);
  assert.ok(isLast(late));
  assert.match(verdictOf(climb(step(1_000, { p99Ms: 1 }), late)).beyond, /^at 2,000 beats\/s the load generator was/);
});

test('a node that is lost before its TTL breaks the objective as one that is lost late does', () => {
  assert.equal(verdictOf(climb(step(1, { detectionMs: -1 }))).holds, null);
  assert.equal(verdictOf(climb(step(1, { detectionMs: 2_001 }))).holds, null);
  assert.equal(verdictOf(climb(step(1, { detectionMs: 300 }))).holds, 1);
});

test('the page has a row for every climb, a table of its steps, and says what is calculated', () => {
  const text = pageOf({
    machine: ['2 × a processor'],
    command: 'npm run envelope',
    climbs: [climb(step(1_000, { p99Ms: 3, refused: 0 }), step(2_000, { p99Ms: 300, refused: 0 }))],
  });
  assert.match(text, /^\| single beats \| 1,000 beats\/s \| at 2,000 beats\/s: p99 300 ms \|$/m);
  assert.match(text, /^\| 1,000 \| 3 \| 0 \| 25 \| holds \|$/m);
  assert.match(text, /^\| 2,000 \| 300 \| 0 \| 25 \| breaks: p99 \|$/m);
  // 70 % of two cores at 25 µs.
  assert.match(text, /\| 56,000 beats\/s \| 1,600,000 nodes \|/);
});
