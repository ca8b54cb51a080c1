import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shownState, urgencyOf } from '../../../../../web/src/pages/nodes/shown-state.ts';

type Node = Parameters<typeof shownState>[0];

test('nodes are in the order of what is shown of them: one that can save no job is not among those that are well', () => {
  const well: Node = { state: 'alive' };
  const unable: Node = { ...well, agent: { canCheckpoint: false } as never };
  const nodes: readonly Node[] = [
    well,
    { ...well, state: 'deregistered' },
    { ...unable, drained: true },
    unable,
    { ...unable, state: 'late' },
    { ...well, state: 'lost' },
  ];
  assert.deepEqual(nodes.toSorted((a, b) => urgencyOf(b) - urgencyOf(a)).map(shownState), [
    'lost',
    'late',
    'deregistered',
    'unsaving',
    'drained',
    'alive',
  ]);
});
