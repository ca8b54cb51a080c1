import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Gate } from '../../../src/base/gate.ts';

/** Who has been let in, in order. */
function entering(gate: Gate): { readonly inside: string[]; enter(name: string, size: number): Promise<void> } {
  const inside: string[] = [];
  return { inside, enter: (name, size) => gate.enter(size).then(() => void inside.push(name)) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('so much is let in at once, and the rest in the order in which it came', async () => {
  const gate = new Gate(10);
  const { inside, enter } = entering(gate);
  for (const [name, size] of [
    ['a', 6],
    ['b', 4],
    ['c', 5],
    ['d', 1],
  ] as const)
    void enter(name, size);
  await turn();
  assert.deepEqual([inside, gate.waiting], [['a', 'b'], 2], 'what is small does not overtake');
  gate.leave(4);
  await turn();
  assert.deepEqual(inside, ['a', 'b']);
  gate.leave(6);
  await turn();
  assert.deepEqual([inside, gate.waiting], [['a', 'b', 'c', 'd'], 0]);
});

test('what is larger than all that may be inside is let in alone', async () => {
  const gate = new Gate(10);
  const { inside, enter } = entering(gate);
  void enter('small', 1);
  void enter('large', 11);
  void enter('next', 1);
  await turn();
  assert.deepEqual(inside, ['small']);
  gate.leave(1);
  await turn();
  assert.deepEqual(inside, ['small', 'large']);
  gate.leave(11);
  await turn();
  assert.deepEqual(inside, ['small', 'large', 'next']);
});
