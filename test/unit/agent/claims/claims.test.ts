import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { serverAnswer, takeClaim } from '../../../../agent/claims/claim-taker.ts';
import { type Claim, Claims, compareImages, folderVerdict, restorableImages } from '../../../../agent/claims/claims.ts';

const claim = (epoch: number, images: string[] = [], nodeId = 'n', touchedMs = 0): Claim => ({
  epoch,
  nodeId,
  images,
  touchedMs,
});

test('the newest image of the highest epoch comes first, by number and not by text', () => {
  assert.deepEqual(['2-1', '1-10', '1-9', '10-1'].sort(compareImages), ['1-9', '1-10', '2-1', '10-1']);
  assert.deepEqual(restorableImages(['1-9', '1-10'], [claim(1)]), ['1-10', '1-9']);
});

test('what a superseded node wrote after the next claim is not restored', () => {
  const claims = [claim(1), claim(2, ['1-1']), claim(5, ['1-1', '1-2', '2-1'])];
  assert.deepEqual(restorableImages(['1-1', '1-2', '2-1', '2-2', '5-1'], claims), ['5-1', '2-1', '1-1']);
});

test('without the server, a claim holds until it has not been touched for the TTL', () => {
  assert.equal(folderVerdict(null, false, 'me', 1_000, 5_000), 'free');
  assert.equal(folderVerdict(claim(1, [], 'other', 4_500), false, 'me', 1_000, 5_000), 'held');
  assert.equal(folderVerdict(claim(1, [], 'other', 3_900), false, 'me', 1_000, 5_000), 'free');
  assert.equal(folderVerdict(claim(1, [], 'me', 4_500), false, 'me', 1_000, 5_000), 'free');
  assert.equal(folderVerdict(claim(1, [], 'other', 4_500), true, 'me', 1_000, 5_000), 'free');
});

test('an epoch is taken once, and the next claim finds it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-claims-'));
  try {
    const claims = new Claims(folder, 'j');
    assert.deepEqual(await claims.epochs(), []);
    assert.equal(await claims.take(1, 'a', []), true);
    assert.equal(await claims.take(1, 'b', []), false);
    assert.equal(await claims.isSuperseded(1), false);
    const asked: unknown[] = [];
    const outcome = await takeClaim({
      nodeId: 'b',
      jobId: 'j',
      queueName: 'q',
      nodeTtlMs: 1_000,
      ask: async (body) => {
        asked.push(body);
        return { kind: 'answer', status: 200, json: { epoch: 7, status: 'Running' }, retryAfterMs: null };
      },
      claims,
      images: async () => ['1-1'],
      nowMs: () => Date.now(),
      knownEpoch: 0,
    });
    assert.deepEqual(asked, [{ nodeId: 'b', queueName: 'q', minEpoch: 2 }]);
    assert.deepEqual(outcome, { kind: 'taken', epoch: 7, ended: null, isKnown: true, folderFault: null });
    assert.deepEqual((await claims.read(7)).images, ['1-1']);
    assert.equal(await claims.isSuperseded(1), true);
    await claims.end(7, 'Stopped');
    assert.equal((await claims.ended())?.status, 'Stopped');
    await claims.take(8, 'a', []);
    assert.equal(await claims.ended(), null, 'the end of an older claim says nothing of the newest');
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('what the server answers to a claim', () => {
  const answer = (status: number, json: unknown) => serverAnswer({ kind: 'answer', status, json, retryAfterMs: null });
  assert.deepEqual(answer(200, { epoch: 3, status: 'Failed' }), { kind: 'given', epoch: 3, ended: 'Failed' });
  assert.equal(answer(409, { message: 'Job is claimed', fields: { nodeId: 'x', epoch: 2 } }).kind, 'held');
  assert.equal(answer(404, {}).kind, 'none', 'an older server');
  assert.equal(answer(503, {}).kind, 'none');
  assert.equal(answer(403, {}).kind, 'refused');
  assert.equal(serverAnswer({ kind: 'unreachable', reason: 'x' }).kind, 'none');
});

test('what a node remembers of a job counts only while nobody else has claimed it since', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cairn-claims-'));
  try {
    const claims = new Claims(folder, 'j');
    const take = (knownEpoch: number) =>
      takeClaim({
        ...{ nodeId: 'a', jobId: 'j', queueName: 'q', nodeTtlMs: 0, claims, images: async () => [], knownEpoch },
        ask: async () => ({ kind: 'unreachable', reason: 'away' }),
        nowMs: () => Date.now() + 1_000,
      });
    const first = await take(3);
    assert.ok(first.kind === 'taken' && !first.isKnown && first.epoch === 4);
    await claims.take(5, 'b', []);
    const second = await take(4);
    assert.ok(second.kind === 'taken' && second.isKnown && second.ended === null && second.epoch === 6);
  } finally {
    await rm(folder, { recursive: true });
  }
});
