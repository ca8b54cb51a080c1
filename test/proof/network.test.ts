/** The machine of `npm run proof` that misbehaves on the wire, small: each planted fault of its list must break it. */
import { test } from 'node:test';
import { quietly } from './machine.ts';
import { network } from './network.ts';

test('bad connections cost nobody else an answer, and leave nothing behind', async () => {
  await network.run(quietly(200));
});
