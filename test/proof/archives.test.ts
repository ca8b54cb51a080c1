/** The machine of `npm run proof` that kills backups and restores, small: each planted fault of its list must break it. */
import { test } from 'node:test';
import { archives } from './archives.ts';
import { quietly } from './machine.ts';

test('kills leave no half archive and no half restore, and every flipped byte is found', async () => {
  await archives.run(quietly(2));
});
