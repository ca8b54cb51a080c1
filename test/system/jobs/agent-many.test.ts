/** Twenty running jobs do not notice that their agent is killed, stopped for an upgrade, and started again. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type AgentLink, connectAgent } from '../../../agent/run/agent-link.ts';
import { callerOf } from '../../../agent/run/caller.ts';
import { until } from '../../support/api.ts';
import { JobsWorld, numbersTo } from './jobs-world.ts';

const JOBS = 20;
const LINES = 10;
/** Its last number waits for the gate of all. */
const count = (gate: string): string =>
  `i=0; while [ $i -lt ${LINES} ]; do i=$((i+1)); [ $i = ${LINES} ] && until [ -e ${gate} ]; do sleep 0.5; done; echo $i; sleep 0.2; done; exit 7`;
const ids = Array.from({ length: JOBS }, (_, i) => `many-${i}`);

let world: JobsWorld;

before(async () => {
  world = await JobsWorld.start();
});

after(() => world?.dispose());

/** As `cairn run` does, without a process for each. */
async function start(id: string): Promise<AgentLink> {
  const link = await connectAgent(world.data('node'), { onReply: () => {}, onClose: () => {} });
  const spec = {
    ...callerOf(process),
    env: { PATH: process.env['PATH'] ?? '' },
    argv: ['/bin/sh', '-c', count(world.gate('many'))],
  };
  const asked = { id, queueName: 'many', name: 'count', cpus: 1, memoryInMB: null, batchJobIds: [] };
  link.send({
    type: 'run',
    spec: { ...spec, ...asked, engine: 'none', fresh: 'last' },
    shown: { stdout: 0, stderr: 0 },
  });
  return link;
}

const shims = (): Promise<number[]> => Promise.all(ids.map((id) => world.process('node', id, 'shim')));

test('none of twenty jobs notices that the agent is killed, stopped and started again under it', async () => {
  await world.agent('node');
  const links = await Promise.all(ids.map(start));
  for (const id of ids) await world.untilEvent(id, 'Job-Running');
  const before = await shims();
  for (const signal of ['SIGKILL', 'SIGTERM', 'SIGKILL'] as const) {
    await world.agentOf('node').kill(signal);
    await world.agent('node');
  }
  for (const link of links) link.close();
  assert.deepEqual(await shims(), before);
  await world.letEnd('many');
  for (const id of ids) {
    const types = await until(
      () => world.types(id),
      (seen) => seen.length >= 4,
      `the end of ${id}`,
    );
    assert.deepEqual(types, ['Job-Creating', 'Job-Created', 'Job-Running', 'Job-Failed']);
    const { json } = await world.api.get(`/api/v1/job/${id}`);
    assert.equal(json.events.at(-1).detail, 'exit 7');
    const log = await readFile(join(world.data('node'), 'jobs', id, 'stdout.log'), 'utf8');
    assert.deepEqual(log.trimEnd().split('\n'), numbersTo(LINES));
  }
});
