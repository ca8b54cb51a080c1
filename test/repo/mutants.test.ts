/** The kept list of planted faults stays true to the code: each can still be planted, and its tests exist. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { type Mutant, plant, readMutants } from '../mutants/mutant.ts';

const LISTS = 'test/mutants';

function whatIsWrong(mutants: readonly Mutant[]): string[] {
  return mutants.flatMap((mutant, i) => {
    const { id, file, tests } = mutant;
    if (mutants.findIndex((other) => other.id === id) !== i) return [`${id} stands in the list twice`];
    if (!existsSync(file)) return [`${id}: there is no ${file}`];
    const lost = tests.filter((path) => !existsSync(path)).map((path) => `${id}: there is no ${path}`);
    if (plant(readFileSync(file, 'utf8'), mutant) !== null) return lost;
    return [`${id}: its text does not stand in ${file} exactly once`, ...lost];
  });
}

test('every planted fault can be planted, and its tests exist', () => {
  assert.deepEqual(whatIsWrong(readMutants(LISTS)), []);
});

test('a fault that fits nowhere, a file or a test that is gone, and a repeated id are found', () => {
  const good = { ...(readMutants(LISTS)[0] as Mutant), id: 'good' };
  assert.deepEqual(whatIsWrong([good]), []);
  assert.equal(whatIsWrong([good, good]).length, 1);
  assert.equal(whatIsWrong([{ ...good, from: 'a text that is nowhere in the file' }]).length, 1);
  assert.equal(whatIsWrong([{ ...good, from: 'e' }]).length, 1);
  assert.equal(whatIsWrong([{ ...good, file: 'src/gone.ts' }]).length, 1);
  assert.equal(whatIsWrong([{ ...good, tests: ['test/unit/gone.test.ts'] }]).length, 1);
});
