import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReplicaNews, Replication } from '../../../src/server/replication.ts';
import type { ReplicaStatus } from '../../../src/store/replica/status.ts';

const STATUS: ReplicaStatus = {
  role: 'follower',
  leader: { id: 'b', url: 'https://b:443', fingerprint: 'ab' },
  term: 3,
  behindMs: 0,
  isCutOff: false,
  applied: 7,
  last: 7,
  published: 0,
  acknowledged: 0,
  appliedGroups: 7,
  takeovers: 0,
  cutOffs: 0,
};

function world() {
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs, wallMs: () => clock.nowMs };
  let heard: (status: ReplicaStatus) => void = () => {};
  const replica = {
    status: STATUS,
    onChange: (run: typeof heard) => (heard = run),
    barrier: async () => {},
    register: () => {},
  };
  const replication = new Replication(replica, 'a', clock as never);
  const tell = (status: Partial<ReplicaStatus>, nowMs: number): void => {
    clock.nowMs = nowMs;
    replica.status = { ...replica.status, ...status };
    heard(replica.status);
  };
  return { replication, tell };
}

test('a server is behind by what it knows of, and while it is cut off by the time for which it hears nothing', () => {
  const { replication, tell } = world();
  tell({ behindMs: 40 }, 1_000);
  assert.equal(replication.behindMs, 40);
  assert.equal(new Float64Array(replication.behind)[0], 40, 'every thread sees it');
  tell({ behindMs: 0 }, 2_000);
  tell({ isCutOff: true }, 9_000);
  assert.equal(replication.behindMs, 7_000);
  tell({ isCutOff: false }, 10_000);
  assert.equal(replication.behindMs, 0);
});

test('only a follower and a leader that hear of the others are ready', () => {
  const { replication, tell } = world();
  assert.deepEqual(replication.readiness, { role: 'follower', leader: 'https://b:443', behindMs: 0, isAway: false });
  assert.deepEqual(replication.reasons, []);
  tell({ leader: null }, 1);
  assert.deepEqual([replication.readiness.isAway, replication.readiness.leader], [false, null]);
  assert.match(replication.reasons.join(), /no server of the cluster leads/);
  tell({ role: 'catching-up' }, 2);
  assert.equal(replication.readiness.isAway, true);
  tell({ role: 'leader', isCutOff: true }, 3);
  assert.equal(replication.readiness.isAway, true);
  assert.match(replication.reasons.join(), /engine does not answer/);
});

test('the figures say which role it is', () => {
  const { replication } = world();
  const roles = replication.metrics().filter(({ name }) => name === 'cairn_replica_role');
  assert.equal(JSON.stringify(roles).match(/follower/g)?.length, 1);
});

test('a leader names itself as it is reached now', () => {
  const { replication, tell } = world();
  const self = { id: 'a', url: 'https://a:8443', fingerprint: 'cd' };
  replication.register(self);
  assert.equal(replication.readiness.leader, 'https://b:443', 'the other one leads');
  tell({ role: 'leader', leader: { ...self, url: 'https://a:0', fingerprint: null } }, 1);
  assert.equal(replication.readiness.leader, self.url);
  assert.deepEqual(replication.state.leader, { url: self.url, fingerprint: 'cd' });
});

test('news that come while there is no log are written once there is one, in order, and counted where they are many', () => {
  const written: string[] = [];
  const log = (name: string) => ({
    info: (_: object, text: string) => void written.push(`${name} info ${text}`),
    warn: (_: object, text: string) => void written.push(`${name} warn ${text}`),
  });
  const news = new ReplicaNews();
  news.tell('warn', 'a single server');
  news.tell('info', 'it leads');
  assert.deepEqual(written, []);
  news.turnTo(log('first'));
  assert.deepEqual(written.splice(0), ['first warn a single server', 'first info it leads']);
  news.tell('info', 'at once');
  assert.deepEqual(written.splice(0), ['first info at once']);
  news.turnTo(null);
  for (let i = 0; i < 102; i++) news.tell('info', `number ${i}`);
  news.turnTo(log('second'));
  assert.equal(written.length, 101);
  assert.equal(written[99], 'second info number 99');
  assert.equal(written[100], 'second warn 2 more messages about replication came before there was a log');
  news.turnTo(log('third'));
  assert.equal(written.length, 101, 'they are told once');
});
