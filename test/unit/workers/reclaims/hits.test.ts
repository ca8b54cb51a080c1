/** What a reclaim cost a job, from its events; every figure is computed by hand beside it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobEvent } from '../../../../src/protocol/job.ts';
import type { Phase } from '../../../../src/protocol/phase.ts';
import { type EpochNs, mustParseTimestamp } from '../../../../src/protocol/timestamp.ts';
import { HitWalk, type Taking } from '../../../../src/workers/reclaims/hits.ts';
import { eventAt, timed } from '../../../support/job-events.ts';

const at = (seconds: number): EpochNs => mustParseTimestamp(eventAt(seconds, '').timestamp);
/** When nodes were taken: seconds of the day. */
type Takings = Readonly<Record<string, readonly [from: number, at: number]>>;

/** `node outcome next: down, repeated`; seconds. */
function hitsOf(events: readonly JobEvent[], takings: Takings, phase: Phase = 'running', now = 9_000): string[] {
  const takingOf = (oid: string): Taking | undefined => {
    const taking = takings[oid];
    return taking && { from: at(taking[0]), at: at(taking[1]) };
  };
  const walk = new HitWalk(takingOf, null);
  for (const event of events) walk.pass(timed(event));
  const seconds = (ns: bigint | null): string => (ns === null ? '-' : String(Number(ns) / 1e9));
  return walk
    .end(phase, at(now))
    .map(
      ({ nodeOid, outcome, nextOid, downNs, repeatedNs }) =>
        `${nodeOid} ${outcome} ${nextOid ?? '-'}: ${seconds(downNs)}, ${seconds(repeatedNs)}`,
    );
}

const on = (nodeOid: string, second: number): JobEvent[] => [
  eventAt(second, 'Job-Creating', { nodeOid }),
  eventAt(second, 'Job-Running'),
];
const saved = (second: number): JobEvent[] => [
  eventAt(second, 'Job-Checkpointing'),
  eventAt(second + 5, 'Job-CheckpointSucceeded'),
];
const restored = (nodeOid: string, second: number): JobEvent[] => [
  eventAt(second, 'Job-Restoring', { nodeOid }),
  eventAt(second + 10, 'Job-RestoreSucceeded'),
  eventAt(second + 10, 'Job-Running'),
];
/** Taken without a notice. */
const lost = (second: number): readonly [number, number] => [second, second];

test('work after the last checkpoint is repeated, up to the last sign of the node', () => {
  // Saved at 600, lost at 900, restored at 2,010: 300 s again, and 1,110 s of nothing.
  const events = [...on('a', 0), ...saved(600), ...restored('b', 2_000)];
  assert.deepEqual(hitsOf(events, { a: lost(900) }), ['a restored b: 1110, 300']);
  // It was heard of at 1,000, after the node's last heartbeat.
  const later = [...on('a', 0), ...saved(600), eventAt(1_000, 'Job-CheckpointFailed'), ...restored('b', 2_000)];
  assert.deepEqual(hitsOf(later, { a: lost(900) }), ['a restored b: 1010, 400']);
});

test('a job that left before the node was taken, or succeeded there, was not hit', () => {
  const stopped = [...on('a', 0), eventAt(800, 'Job-Stopped'), ...restored('b', 1_000)];
  assert.deepEqual(hitsOf(stopped, { a: lost(900) }), []);
  assert.deepEqual(hitsOf([...on('a', 0), eventAt(900, 'Job-Succeeded')], { a: lost(900) }, 'succeeded'), []);
  assert.deepEqual(hitsOf([...on('a', 950)], { a: lost(900) }), [], 'it came after');
  assert.deepEqual(hitsOf([...on('b', 0)], { a: lost(900) }), []);
});

test('a job that is saved and stopped after a notice was hit, and repeats nothing', () => {
  // Noticed at 600, saved at 610, stopped at 620, the node left at 650.
  const events = [...on('a', 0), ...saved(610), eventAt(615, 'Job-Stopped'), ...restored('b', 700)];
  assert.deepEqual(hitsOf(events, { a: [600, 650] }), ['a restored b: 95, 5']);
  assert.deepEqual(hitsOf(events, { a: lost(650) }), [], 'without the notice it left by itself');
});

test('without a checkpoint all is repeated, also where the job begins from nothing', () => {
  assert.deepEqual(hitsOf([...on('a', 0), ...restored('b', 2_000)], { a: lost(900) }), ['a restored b: 1110, 900']);
  const again = [...on('a', 0), ...saved(600), ...on('b', 2_000), ...on('c', 4_000)];
  // Lost again at 3,000: of the second life 1,000 s, not the first one's too.
  assert.deepEqual(hitsOf(again, { a: lost(900), b: lost(3_000) }), [
    'a restarted b: 1100, 900',
    'b restarted c: 1000, 1000',
  ]);
});

test('what an earlier reclaim threw away counts once', () => {
  // 0-900 on a, saved at 600; on b from 2,010, lost at 2,500 without another checkpoint: 490 s.
  const events = [...on('a', 0), ...saved(600), ...restored('b', 2_000), ...restored('c', 3_000)];
  assert.deepEqual(hitsOf(events, { a: lost(900), b: lost(2_500) }), [
    'a restored b: 1110, 300',
    'b restored c: 510, 490',
  ]);
  // The node that it was to be restored on is lost before it runs there.
  const twice = [
    ...on('a', 0),
    ...saved(600),
    eventAt(2_000, 'Job-Restoring', { nodeOid: 'b' }),
    ...restored('c', 3_000),
  ];
  assert.deepEqual(hitsOf(twice, { a: lost(900), b: lost(2_500) }), [
    'a restored c: 2110, 300',
    'b restored c: 510, 0',
  ]);
});

test('until it runs again, the phase of the job says what became of it', () => {
  const events = [...on('a', 0), ...saved(600)];
  assert.deepEqual(hitsOf(events, { a: lost(900) }, 'stranded'), ['a stranded -: -, 300']);
  const failed = [...events, eventAt(1_500, 'Job-Failed')];
  assert.deepEqual(hitsOf(failed, { a: lost(900) }, 'failed'), ['a failed -: -, 300']);
  const restoring = [...events, eventAt(1_500, 'Job-Restoring', { nodeOid: 'b' })];
  assert.deepEqual(hitsOf(restoring, { a: lost(900) }, 'restoring'), ['a restoring b: -, 300']);
});

test('a job that runs on after the notice has lost nothing yet', () => {
  assert.deepEqual(hitsOf([...on('a', 0)], { a: [800, 900] }, 'running', 900), ['a running -: -, 0']);
});

test('a walk that goes on from what is known of earlier events gives the same', () => {
  const events = [...on('a', 0), ...saved(600), ...restored('b', 2_000)];
  const passed = {
    isPlaced: true,
    segments: { nodeOid: 'a', open: { start: at(0), nodeOid: 'a' } },
    progress: { doneNs: 0n, sinceNs: at(0), suspendedNs: 600_000_000_000n, attemptNs: 600_000_000_000n },
  };
  const walk = new HitWalk((oid) => (oid === 'a' ? { from: at(900), at: at(900) } : undefined), null, passed);
  for (const event of events.slice(4)) walk.pass(timed(event));
  const [hit] = walk.end('running', at(9_000));
  assert.deepEqual([hit?.repeatedNs, hit?.downNs], [300_000_000_000n, 1_110_000_000_000n]);
});

test('checkpoints that were folded away count as what they came to', () => {
  const mark = { runNs: 500_000_000_000n, suspendedNs: 450_000_000_000n, attemptNs: 450_000_000_000n };
  const walk = new HitWalk((oid) => (oid === 'a' ? { from: at(900), at: at(900) } : undefined), {
    through: at(500),
    mark,
  });
  for (const event of [...on('a', 0), ...restored('b', 2_000)]) walk.pass(timed(event));
  // Saved when it had run 450 s, which the folded events alone told.
  assert.equal(walk.end('running', at(9_000))[0]?.repeatedNs, 450_000_000_000n);
});
