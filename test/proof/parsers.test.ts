/** The machine of `npm run proof` that fuzzes parsers, small: each planted fault of its list must break it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quietly } from './machine.ts';
import { PARSERS } from './parser-list.ts';
import { fuzz, parsers } from './parsers.ts';

test('every parser takes or refuses, whatever it is given', async () => {
  const counts = await parsers.run(quietly(8_000));
  assert.equal(counts['parsers'], PARSERS.length);
});

test('a parser that breaks on what only coverage leads to is found', () => {
  const name = 'a toy';
  const parse = (input: Buffer): void => {
    if (input.toString().startsWith('2026-01-31T') && input.includes('Z"')) throw new TypeError('a slip');
  };
  const toy = { name, seeds: ['2026-01-31T08:00:00Z'], parse, refuses: () => false };
  assert.throws(() => fuzz(toy, quietly(50_000)), /a toy .* a slip/s);
});
