import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownState, urgencyOf } from '../../../../web/src/lists/shown-state.ts';

type Node = Parameters<typeof shownState>[0];
const NOTICE = { action: 'terminate', time: '2026-01-31T12:02:00Z' };

test('nodes are in the order of what is shown of them: one that can save no job is not among those that are well', () => {
  const well: Node = { state: 'alive' };
  const unable: Node = { ...well, agent: { canCheckpoint: false } as never };
  const busy: Node = { ...well, drained: true };
  const nodes: readonly Node[] = [
    well,
    { ...well, state: 'deregistered' },
    { ...unable, drained: true },
    busy,
    unable,
    { ...unable, state: 'late', interruption: NOTICE },
    { ...unable, drained: true, interruption: NOTICE },
    { ...well, state: 'lost', interruption: NOTICE },
  ];
  const runningOn = (node: Node): number => (node === busy ? 2 : 0);
  const sorted = nodes.toSorted((a, b) => urgencyOf(b, runningOn(b)) - urgencyOf(a, runningOn(a)));
  assert.deepEqual(
    sorted.map((node) => shownState(node, runningOn(node))),
    ['lost', 'reclaiming', 'late', 'deregistered', 'noCheckpoints', 'draining', 'drained', 'alive'],
  );
});

test('a node is called drained only where it is known that none of its jobs runs any more', () => {
  const node: Node = { state: 'alive', drained: true };
  assert.deepEqual(
    [0, 1, undefined].map((running) => shownState(node, running)),
    ['drained', 'draining', 'draining'],
  );
});
