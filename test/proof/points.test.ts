/** The machine of `npm run proof` that kills at named points, small: each planted fault of its list must break it. */
import { test } from 'node:test';
import { killInManners } from './kills.ts';
import { quietly } from './machine.ts';

test('what was acknowledged survives kills at the doors of the disk and in the start', async () => {
  await killInManners(quietly(8), ['point', 'point', 'start', 'point']);
});
