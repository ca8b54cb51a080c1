/** The machine of `npm run proof` that checks histories, small: each planted fault of its list must break it. */
import { test } from 'node:test';
import { history } from './history.ts';
import { quietly } from './machine.ts';

test('every object is linearizable, through kills too', async () => {
  await history.run(quietly(4));
});
