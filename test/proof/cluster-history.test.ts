/** Histories on three servers, small: one round, in which a leader is killed. */
import { test } from 'node:test';
import { enginesAbsent } from '../support/cluster/engines.ts';
import { clusterHistory } from './cluster-history.ts';
import { quietly } from './machine.ts';

test('every object is linearizable on three servers, while a leader is killed', {
  skip: enginesAbsent() ?? false,
}, async () => {
  await clusterHistory.run(quietly(1));
});
