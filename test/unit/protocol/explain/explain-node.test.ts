/** One world for each rule of a node. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainNode, type NodeCircumstances } from '../../../../src/protocol/explain/explain-node.ts';
import { NODE_FINDING_CODES, nodeExplanationSchema } from '../../../../src/protocol/explain/finding.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';

const seen = new Set<string>();
const FACTS = {
  isVerdictSuspended: false,
  ttlMs: 300_000,
  nowMs: Date.parse('2026-01-01T11:52:00Z'),
  runningJobs: null,
  version: '1.2.10',
} as const;

function explained(node: object, others: Partial<NodeCircumstances> = {}): string[] {
  const instance = { payType: 'OnDemand' };
  const whole = {
    ...{ id: 'n1', state: 'alive', lastHeartbeat: '2026-01-01T11:50:00Z', instance },
    ...node,
  } as unknown as WorkerNode;
  const explanation = explainNode({
    node: whole,
    ...FACTS,
    ...others,
  });
  nodeExplanationSchema.parse(explanation);
  for (const { code } of explanation.findings) seen.add(code);
  return explanation.findings.map(({ code, severity, text }) => `${severity} ${code}: ${text}`);
}

test('the state of a node is told, and while the server doubts itself also that', () => {
  assert.deepEqual(explained({}), ['ok alive: Alive.']);
  const late = 'warning late: Late: silent since 2026-01-01T11:50:00Z.';
  const lost = 'Without a heartbeat it is lost soon after 2026-01-01T11:55:00.000Z.';
  assert.deepEqual(explained({ state: 'late' }), [`${late} ${lost}`]);
  // After its own start the server waits for longer than that.
  assert.deepEqual(explained({ state: 'late' }, { ttlMs: 120_000 }), [late]);
  assert.deepEqual(explained({ state: 'lost' }), ['critical lost: Lost: no heartbeat since 2026-01-01T11:50:00Z.']);
  assert.match(
    explained({ state: 'late' }, { isVerdictSuspended: true }).join(),
    /^warning verdict-held: Silent since 2026-01-01T11:50:00Z\./,
  );
});

test('of a node that was deregistered it is told when, and not by whom', () => {
  const node = { state: 'deregistered', endedAt: '2026-01-01T11:51:00Z' };
  assert.deepEqual(explained(node), ['info deregistered: Deregistered at 2026-01-01T11:51:00Z.']);
});

test('of a node that is reclaimed nobody need do anything until its jobs stop', () => {
  const interruption = { action: 'stop', time: '2026-01-01T11:52:00Z' };
  const node = { id: 'n1', state: 'alive', lastHeartbeat: '2026-01-01T11:50:00Z', interruption };
  const before = { ...FACTS, nowMs: Date.parse('2026-01-01T11:51:00Z') };
  const [finding] = explainNode({ node: node as unknown as WorkerNode, ...before }).findings;
  assert.match(
    finding?.remedy ?? '',
    /^Nothing to do until then: the agent saves and stops its jobs\. They go on once they are run again on another node\.$/,
  );
});

test('of a lost spot machine nobody is told to start it again', () => {
  const remedyOf = (payType: string): string | null | undefined => {
    const node = { id: 'n1', state: 'lost', lastHeartbeat: '2026-01-01T11:50:00Z', instance: { payType } };
    return explainNode({ node: node as unknown as WorkerNode, ...FACTS }).findings[0]?.remedy;
  };
  assert.match(remedyOf('OnDemand') ?? '', /^Start the machine/);
  for (const payType of ['Spot', 'spot']) assert.match(remedyOf(payType) ?? '', /does not come back: run its jobs/);
});

test('a reclaim that is over is told as such', () => {
  const interruption = { action: 'stop', time: '2026-01-01T11:52:00Z' };
  assert.match(
    explained({ interruption, state: 'deregistered' }).join(),
    /The cloud reclaimed this machine \(stop, announced/,
  );
});

test('drains and interruptions stand beside the state', () => {
  assert.deepEqual(explained({ drained: true }), [
    'info drained: Draining: it takes no new job. Running jobs go on.',
    'ok alive: Alive.',
  ]);
  const interruption = { action: 'stop', time: '2026-01-01T12:02:00Z' };
  assert.match(explained({ interruption })[0] ?? '', /^warning interrupted: The cloud reclaims this machine \(stop\)/);
  const due = { interruption: { ...interruption, time: '2026-01-01T11:51:00Z' } };
  assert.match(explained(due)[0] ?? '', /: The cloud announced that it reclaims this machine .* still there\.$/);
});

test('a node is called drained only once none of its jobs runs any more', () => {
  const told = (runningJobs: number): string => explained({ drained: true }, { runningJobs })[0] ?? '';
  assert.equal(told(3), 'info drained: Draining: 3 jobs still run here; it takes no new one.');
  assert.equal(told(1), 'info drained: Draining: 1 job still runs here; it takes no new one.');
  assert.equal(told(0), 'info drained: Drained: it takes no new job, and none runs here any more.');
});

test('an agent that is older, cannot checkpoint, or has another clock is told; one like the server is not', () => {
  const good = { version: '1.2.10', canCheckpoint: true, clockDifferenceMs: -5_000 };
  assert.deepEqual(explained({ agent: good }), ['ok alive: Alive.']);
  assert.deepEqual(explained({ agent: { version: '1.10.0' } }), ['ok alive: Alive.']);
  assert.deepEqual(
    explained({ agent: { version: '1.2.9' } })[0],
    "warning agent-old: Its agent is of version 1.2.9, older than the server's 1.2.10.",
  );
  assert.match(
    explained({ agent: { clockDifferenceMs: 90_000 } })[0] ?? '',
    /^warning clock-differs: Its clock is 1 m 30 s ahead of/,
  );
  assert.match(explained({ agent: { clockDifferenceMs: -5_001 } })[0] ?? '', /behind the server's/);
  assert.deepEqual(
    explained({ agent: { canCheckpoint: false, reason: 'there is no criu' } })[0],
    'warning cannot-checkpoint: It cannot checkpoint jobs: there is no criu.',
  );
});

test('every code of the contract has a world here', () => {
  assert.deepEqual([...seen].sort(), [...NODE_FINDING_CODES].sort());
});
