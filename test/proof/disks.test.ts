/** The machine of `npm run proof` that spoils disks, small: each planted fault of its list must break it. */
import { test } from 'node:test';
import { DISK_FAULTS, spoilDisks } from './disks.ts';
import { quietly } from './machine.ts';

const named = (part: string) => DISK_FAULTS.filter(({ name }) => name.includes(part));

test('what a bad disk refuses is refused as the contract says, and nothing else is lost', async () => {
  const faults = [
    ...named('commit that'),
    ...named('half'),
    ...named('configuration that cannot be renamed'),
    ...named('chunk that cannot'),
  ];
  await spoilDisks(quietly(faults.length), faults);
});
