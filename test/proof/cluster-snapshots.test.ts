/** Kills around the snapshot of a cluster, small: each point once. */
import { test } from 'node:test';
import { enginesAbsent } from '../support/cluster/engines.ts';
import { clusterSnapshots } from './cluster-snapshots.ts';
import { quietly } from './machine.ts';

test('a snapshot that is killed while it is made or taken leaves no half of it anywhere', {
  skip: enginesAbsent() ?? false,
}, async () => {
  await clusterSnapshots.run(quietly(8));
});
