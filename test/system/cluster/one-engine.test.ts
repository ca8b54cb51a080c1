/** Three servers over a single engine (contract section 15), which goes silent and comes back. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Answer, until } from '../../support/api.ts';
import { enginesAbsent } from '../../support/cluster/engines.ts';
import { type Member, readyz, ServerCluster } from '../../support/cluster/server-cluster.ts';
import { freePort } from '../../support/network/free-port.ts';

const absent = enginesAbsent();

describe('servers over one engine', { skip: absent ?? false, timeout: 240_000 }, () => {
  let cluster: ServerCluster;
  let counted = { submitted: 0, interruptions: 0 };
  let countedBy: Member;

  before(async () => {
    cluster = await ServerCluster.start('one', { engines: 1 });
  });

  after(async () => {
    await cluster?.stop();
  });

  it('tell in their logs that the engine has no second copy, and who leads', async () => {
    const leader = await cluster.leader();
    for (const { server } of cluster.members) {
      const log = await until(
        () => server.logText(),
        (text) => text.includes('the engine is a single server'),
        'the warning',
      );
      const [line] = log.split('\n').filter((text) => text.includes('the engine is a single server'));
      assert.equal(JSON.parse(line as string).level, 'warn');
    }
    await until(
      () => leader.server.logText(),
      (text) => text.includes('this server leads the cluster, term 1'),
      'the news of the term',
    );
  });

  it('count the nodes, and tell what is wrong with them, at any of them', async () => {
    const leader = await cluster.leader();
    const agent = { version: '0.0.1' };
    await leader.api.put('/api/v1/node/counted-1', { agent, instance: { payType: 'Spot' } });
    await leader.api.put('/api/v1/node/counted-2', { agent });
    for (const { api } of cluster.members) {
      await api.get('/api/v1/node?consistent=true');
      const { text } = await api.get('/metrics');
      assert.match(text, /^cairn_nodes\{state="alive",pay_type="Spot"\} 1$/m);
      assert.match(text, /^cairn_nodes\{state="alive",pay_type=""\} 1$/m);
      const { findings } = (await api.get('/api/v1/doctor')).json;
      const found = findings.find(({ id }: { readonly id: string }) => id === 'agent-version');
      assert.match(found?.what ?? '', /^2 /, JSON.stringify(findings));
    }
  });

  it('refuse an address at which the others cannot reach them, and stay at theirs', async () => {
    const { api, server } = await cluster.leader();
    for (const host of ['0.0.0.0', '[::]']) {
      const refused = await api.configKv({ addr: `http://${host}:${await freePort()}` });
      assert.deepEqual([refused.status, refused.json.errorCode], [409, 1007], refused.text);
      assert.match(refused.json.message, /--advertise/);
    }
    assert.equal((await api.get('/api/v1/config')).json.addr, server.address);
    assert.equal((await readyz(await cluster.leader()))?.leader, server.address);
  });

  it('count queues before they change their roles', async () => {
    countedBy = await cluster.leader();
    const { api } = countedBy;
    const updates = [...Array(201).keys()].map((i) => submitted(`job-${i}`, `queue-${1_000 + i}`));
    const sent = await api.post('/api/v1/job', updates);
    assert.deepEqual(sent.json.rejected, [], sent.text);
    await api.post('/api/v1/node/counted-1/interruption', { action: 'terminate', time: new Date().toISOString() });
    for (const { text } of [await api.get('/metrics'), await api.get('/metrics')]) {
      counted = { submitted: submittedIn(text), interruptions: interruptionsIn(text) };
      assert.match(text, /^cairn_jobs\{status="[A-Za-z]+",queue="_other"\} 1$/m);
    }
    assert.ok(counted.submitted >= 201 && counted.interruptions === 1, JSON.stringify(counted));
  });

  it('say that the outcome of a write is unknown which the engine may have taken, and it is applied later', async () => {
    let id = '';
    const putAtFollower = async (): Promise<Answer> => {
      const [follower] = (await cluster.followers()) as [Member];
      id = `${id}x`;
      cluster.engines.signal(0, 'SIGSTOP');
      try {
        return await follower.api.put(`/api/v1/node/${id}`, {});
      } finally {
        cluster.engines.signal(0, 'SIGCONT');
      }
    };
    // One that waits behind a write of the server's own is not given to the engine.
    const { status, json, text } = await until(
      putAtFollower,
      (answer) => answer.json.message !== 'Not the leader',
      'a write that the engine may have',
    );
    assert.deepEqual([status, json.errorCode], [503, 3003], text);
    assert.match(json.message, /the outcome is unknown: it may still be applied; check, or repeat it$/);
    const leader = await cluster.leader();
    // One that has just begun to lead exchanges its parts, and refuses connections meanwhile.
    await until(
      () => leader.api.get(`/api/v1/node/${id}`).catch(() => null),
      (answer) => answer?.status === 200,
      'the write to be applied when the engine is back',
    );
    const ready = await until(
      () => leader.api.get('/readyz').catch(() => null),
      (answer) => answer?.status === 200,
      'the leader to be ready',
    );
    assert.doesNotMatch(String(ready?.text), /disk/, 'the disk was sound');
  });

  it('count on, and keep the names of queues, when they have changed their roles', async () => {
    const leader = await cluster.leader();
    const busy = ['a', 'b', 'c'].map((id) => submitted(id, 'queue-1200'));
    const sent = await until(
      () => leader.api.post('/api/v1/job', busy).catch(() => null),
      (answer) => answer?.status === 200,
      'the leader to take a write',
    );
    assert.deepEqual(sent?.json.rejected, []);
    const seen = await until(
      () => countedBy.api.get('/metrics').catch(() => null),
      (answer) => answer !== null && /^cairn_jobs\{status="[A-Za-z]+",queue="_other"\} 4$/m.test(answer.text),
      'the busiest queue to be counted as another, as it was before',
      20_000,
    );
    const text = String(seen?.text);
    assert.doesNotMatch(text, /queue="queue-1200"/);
    assert.ok(submittedIn(text) >= counted.submitted, `${submittedIn(text)} of ${counted.submitted}`);
    assert.equal(interruptionsIn(text), counted.interruptions);
  });
});

function submitted(id: string, queueName: string): object {
  return { id, queueName, events: [{ timestamp: new Date().toISOString(), eventType: 'Job-Creating' }] };
}

function submittedIn(metrics: string): number {
  const lines = metrics.matchAll(/^cairn_job_metric_total\{definition="jobSubmitted",queue="[^"]*"\} (\d+)$/gm);
  return [...lines].reduce((sum, [, value]) => sum + Number(value), 0);
}

function interruptionsIn(metrics: string): number {
  return Number(/^cairn_node_interruptions_total (\d+)$/m.exec(metrics)?.[1]);
}
