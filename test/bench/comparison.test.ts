import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compared, comparisonTable, type Pair } from '../../bench/harness/comparison.ts';

const pairsOf = (...ratios: number[]): Pair[] => ratios.map((ratio, i) => [10 + i, (10 + i) * ratio]);

test('a difference counts where the pairs agree on it', () => {
  assert.equal(compared('all', pairsOf(0.8, 0.9, 0.85)).verdict, 'less');
  assert.equal(compared('all', pairsOf(1.2, 1.1, 1.15)).verdict, 'more');
  assert.equal(compared('one of three says no', pairsOf(0.8, 1.1, 0.85)).verdict, 'no difference');
  assert.equal(compared('one of five says no', pairsOf(0.8, 1.1, 0.85, 0.8, 0.9)).verdict, 'less');
  assert.equal(compared('two of five say no', pairsOf(0.8, 1.1, 0.85, 1.1, 0.9)).verdict, 'no difference');
});

test('a difference below that of the machine is none', () => {
  assert.equal(compared('small', pairsOf(0.98, 0.98, 0.98)).verdict, 'no difference');
  assert.equal(compared('small', pairsOf(1.02, 1.02, 1.02)).verdict, 'no difference');
});

test('the ratio is that of pairs, whatever the machine does between them', () => {
  const row = compared('beat', [
    [10, 9],
    [100, 90],
    [20, 18],
  ]);
  assert.equal(row.ratio, 0.9);
  assert.equal(row.before, 20);
  assert.match(comparisonTable('a → b', [row]), /20\.00 → {4}18\.00 µs CPU {3}× 0\.90 \(0\.90 0\.90 0\.90\) {3}less/);
});
