/** The list of nodes as a file. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { nodesCsv } from '../../../../web/src/pages/nodes/nodes-file.ts';

test('a file of nodes has what they run and would lose, in the order that it is given', () => {
  const node = { state: 'alive', ips: ['10.0.0.1', '10.0.0.2'], instance: { zone: 'a,b' } } as unknown as WorkerNode;
  const load = { jobs: 2, stranded: 0, unsavedSeconds: 61.4, mostSeconds: 61.4, neverSavedSeconds: 0 };
  const lines = nodesCsv([
    { ...node, id: 'second', load },
    { ...node, id: '=first', load: undefined },
  ]).split('\r\n');
  assert.match(lines[0] ?? '', /^id,state,runningJobs,strandedJobs,unsavedSeconds,lastHeartbeat,/);
  assert.match(lines[1] ?? '', /^second,alive,2,0,61,.*"a,b".*,10\.0\.0\.1 10\.0\.0\.2$/);
  // No formula for a spreadsheet, and nothing where nothing is known.
  assert.match(lines[2] ?? '', /^'=first,alive,,,,/);
});
