/** Several servers from outside (contract section 15): any of them answers everything, and none loses what was acknowledged. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Answer, until } from '../../support/api.ts';
import { BeatClient } from '../../support/beat-client.ts';
import { enginesAbsent } from '../../support/cluster/engines.ts';
import { type Member, readyz, ServerCluster } from '../../support/cluster/server-cluster.ts';
import { EventReader, type SentEvent } from '../../support/event-reader.ts';
import { cairn } from '../../support/operations/command.ts';

const absent = enginesAbsent();

describe('three servers', { skip: absent ?? false, timeout: 240_000 }, () => {
  let cluster: ServerCluster;
  const acknowledged: string[] = [];

  before(async () => {
    cluster = await ServerCluster.start('three');
  });

  after(async () => {
    await cluster?.stop();
  });

  async function register(member: Member, id: string): Promise<Answer> {
    const answer = await member.api.put(`/api/v1/node/${id}`, { hostName: `host of ${id}` });
    if (answer.status === 200) acknowledged.push(id);
    return answer;
  }

  /** Until it is taken: a server that changes its role refuses connections meanwhile, for long where the machine is busy. */
  async function taken(member: Member, id: string): Promise<void> {
    await until(
      () => register(member, id).catch(() => null),
      (answer) => answer?.status === 200,
      `${id} to be registered`,
    );
  }

  async function idsOn(member: Member): Promise<string[]> {
    const { status, json, text } = await member.api.get('/api/v1/node?consistent=true');
    assert.equal(status, 200, text);
    return (json as { id: string }[]).map(({ id }) => id).sort();
  }

  async function allAreEverywhere(): Promise<void> {
    for (const member of cluster.members)
      if (!member.server.hasExited) assert.deepEqual(await idsOn(member), [...acknowledged].sort());
  }

  it('take writes at any of them, and read them at all', async () => {
    for (const [i, member] of cluster.members.entries()) {
      const answer = await register(member, `node-${i}`);
      assert.equal(answer.status, 200, answer.text);
    }
    await allAreEverywhere();
    const [follower] = (await cluster.followers()) as [Member];
    const read = await follower.api.get('/api/v1/node/node-0');
    assert.match(String(read.headers['x-cairn-behind-ms']), /^\d+$/);
  });

  it('keep their state for who reads the database of a follower', async () => {
    const [follower] = (await cluster.followers()) as [Member];
    const { code, out, err } = await cairn(['verify', '--data-dir', follower.folders.data]);
    assert.deepEqual([code, err], [0, ''], out);
    assert.match(out, /is intact: \d+ records\n$/);
  });

  it('say who leads, and how far they are behind', async () => {
    const leader = await cluster.leader();
    for (const member of cluster.members) {
      const view = await readyz(member);
      assert.equal(view?.leader, leader.server.address);
      assert.equal(view?.role, member === leader ? 'leader' : 'follower');
      assert.equal(typeof view?.behindMs, 'number');
    }
    const { text } = await leader.api.get('/metrics');
    assert.match(text, /cairn_replica_role\{role="leader"\} 1/);
  });

  it('share the configuration, but for what belongs to one machine', async () => {
    const [follower] = (await cluster.followers()) as [Member];
    const changed = await follower.api.configKv({ 'node.heartbeat': '20s', 'job.customTags': 'a:b' });
    assert.equal(changed.status, 200, changed.text);
    for (const member of cluster.members) {
      const { json } = await until(
        () => member.api.get('/api/v1/config'),
        ({ json }) => json.node.heartbeat === '20s',
        'the changed configuration',
      );
      assert.equal(json.addr, member.server.address);
      assert.deepEqual(json.job.customTags, { a: 'b' });
    }
    const ids = await Promise.all(cluster.members.map(async ({ api }) => (await api.get('/api/v1/config')).json.id));
    assert.equal(new Set(ids).size, 1);
  });

  it('read their configuration of just now where they are asked for it', async () => {
    const leader = await cluster.leader();
    for (const tag of ['c', 'd', 'e']) {
      const changed = await leader.api.configKv({ 'job.customTags': `a:${tag}` });
      assert.equal(changed.status, 200, changed.text);
      for (const { api } of cluster.members)
        assert.equal((await api.get('/api/v1/config?consistent=true')).json.job.customTags.a, tag);
    }
  });

  it('pass heartbeats on, with their samples', async () => {
    const [follower] = (await cluster.followers()) as [Member];
    const beat = await follower.api.post('/api/v1/node/node-1/heartbeat', { metrics: { load: 3 } });
    assert.equal(beat.status, 200, beat.text);
    const batch = await follower.api.post('/api/v1/heartbeat', [{ id: 'node-2' }, { id: 'nobody' }]);
    assert.deepEqual([batch.json.accepted, batch.json.unknown], [1, ['nobody']]);
    const series = await follower.api.get('/api/v1/metricValue/node-node-1/metricDef-load');
    assert.equal(series.status, 200, series.text);
  });

  it('answer frames of heartbeats over a WebSocket, and push a changed configuration', async () => {
    const [follower] = (await cluster.followers()) as [Member];
    const client = await BeatClient.open(follower.server.address, []);
    const reply = await client.ask({ seq: 7, beats: [{ id: 'node-0' }, { id: 'nobody' }] });
    assert.deepEqual([reply.seq, reply.accepted, reply.unknown], [7, 1, ['nobody']]);
    const refused = await client.ask({ seq: 8, beats: 'none' });
    assert.deepEqual([refused.seq, refused.errorCode], [8, 1003]);
    const pushed = client.next();
    await (await cluster.leader()).api.configKv({ 'node.heartbeat': '25s' });
    assert.equal((await pushed).type, 'config');
    client.socket.terminate();
  });

  it('stream events, and logs that are followed, wherever they come from', async () => {
    const [follower] = (await cluster.followers()) as [Member];
    const leader = await cluster.leader();
    const reader = await EventReader.open(follower.server.address, '?types=node.registered');
    await register(leader, 'node-with-events');
    const isThere = (events: readonly SentEvent[]) => events.some(({ data }) => data.node === 'node-with-events');
    await reader.until(isThere, 'the event of the registration at another server');
    reader.close();
    const path = '/api/v1/nodes/node-0/files/var/log/messages';
    const read = '/nodes/node-0/var/log/messages?consistent=true';
    const sent = await follower.api.request('POST', `${path}?offset=0`, {
      body: Buffer.from('one line\n'),
      headers: { 'content-type': 'application/octet-stream' },
    });
    assert.equal(sent.status, 200, sent.text);
    for (const { api } of cluster.members) assert.equal((await api.get(read)).text, 'one line\n');
  });

  it('tell of an error as the leader does', async () => {
    const [follower] = (await cluster.followers()) as [Member];
    const leader = await cluster.leader();
    const calls = ({ api }: Member) =>
      Promise.all([
        api.post('/api/v1/node/nobody/heartbeat', {}),
        api.configKv({ 'node.ttl': 'x' }),
        api.get('/api/v1/x'),
      ]);
    const [ofFollower, ofLeader] = await Promise.all([calls(follower), calls(leader)]);
    assert.deepEqual(
      ofFollower.map(({ status, text }) => [status, text]),
      ofLeader.map(({ status, text }) => [status, text]),
    );
  });

  it('go on under another leader when theirs is killed, with all that was acknowledged', async () => {
    const leader = await cluster.leader();
    await leader.server.kill('SIGKILL');
    const next = await cluster.leader();
    assert.notEqual(next, leader);
    for (const member of await cluster.followers()) {
      await taken(member, 'after-the-kill');
    }
    await cluster.restart(leader);
    await cluster.leader();
    await allAreEverywhere();
  });

  it('lose no node with a takeover: each has a full TTL', async () => {
    for (const member of cluster.members) {
      const { json } = await member.api.get('/api/v1/node?consistent=true&state=all');
      for (const { id, state } of json as { id: string; state: string }[]) assert.equal(state, 'alive', id);
    }
  });

  it('let a paused leader acknowledge nothing when it wakes', async () => {
    const paused = await cluster.leader();
    process.kill(paused.server.pid, 'SIGSTOP');
    const others = cluster.members.filter((member) => member !== paused);
    const views = await until(
      () => Promise.all(others.map((member) => readyz(member))),
      (seen) => seen.some((view) => view?.role === 'leader'),
      'another server to lead',
    );
    const next = others[views.findIndex((view) => view?.role === 'leader')] as Member;
    const late = paused.api.put('/api/v1/node/at-the-paused', {}).catch(() => null);
    // Whatever happens: a server that stays stopped would fail all that comes after.
    await taken(next, 'at-the-next').finally(() => process.kill(paused.server.pid, 'SIGCONT'));
    const answer = await late;
    // It may have passed the call on by then; if it says 200, the cluster has it.
    if (answer?.status === 200) acknowledged.push('at-the-paused');
    await cluster.leader();
    await until(
      () => paused.api.get('/readyz').catch(() => null),
      (seen) => seen?.status === 200 && seen.json.role === 'follower',
      'the paused server to follow',
    );
    await allAreEverywhere();
  });

  it('read, and refuse what they cannot know, while the engine is away; and go on when it is back', async () => {
    for (const i of [0, 1, 2]) await cluster.engines.kill(i);
    for (const member of cluster.members) {
      // The one that led exchanges its parts, and refuses connections meanwhile.
      const ask = async () => {
        const { api } = member;
        const ready = await api.get('/readyz');
        const write = await api.put('/api/v1/node/nowhere', {});
        const consistent = await api.get('/api/v1/node?consistent=true');
        return { ready, write, consistent, read: await api.get('/api/v1/node/node-0') };
      };
      const seen = await until(
        () => ask().catch(() => null),
        (answers) => answers?.ready.status === 503 && answers.ready.json.role !== 'leader',
        'a server to know that it is cut off',
      );
      const { write, consistent, read } = seen as Awaited<ReturnType<typeof ask>>;
      assert.deepEqual([write.status, write.json.errorCode], [503, 3003], write.text);
      assert.match(String(write.headers['retry-after']), /^\d+$/);
      assert.deepEqual([consistent.status, consistent.json.errorCode], [503, 3003], consistent.text);
      assert.equal(read.status, 200);
      assert.match(String(read.headers['x-cairn-behind-ms']), /^\d+$/);
    }
    for (const i of [0, 1, 2]) await cluster.engines.run(i);
    const leader = await cluster.leader();
    await taken(leader, 'after-the-engine');
    await allAreEverywhere();
  });
});
