/** The machine of `npm run proof` that kills in migrations, small: the planted fault of its list must break it. */
import { test } from 'node:test';
import { quietly } from './machine.ts';
import { upkeep } from './upkeep.ts';

test('a database of an earlier schema has every answer after a kill in its migration', async () => {
  await upkeep.run(quietly(4));
});
