import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BACKOFF_CAP_MS } from '../../agent/link/backoff.ts';
import { reconnectMs, type SocketEnd } from '../../agent/link/reconnect.ts';
import { seededRandom } from '../../src/base/random.ts';
import { readServerFrame, retryAfterMsIn } from '../../src/protocol/beat-frame.ts';
import fc from '../support/laws/fast-check.ts';

test('whatever a frame of the server holds is read without an exception', () => {
  fc.assert(
    fc.property(fc.anything(), (value) => {
      const frame = readServerFrame(value);
      if (frame.type !== 'answer') return;
      assert.equal(typeof frame.seq, 'number');
      assert.equal(typeof frame.status, 'number');
      const retryAfterMs = retryAfterMsIn(frame.json);
      assert.ok(retryAfterMs === undefined || retryAfterMs >= 0);
    }),
  );
});

const ends: fc.Arbitrary<SocketEnd> = fc.oneof(
  fc.record({ type: fc.constant('refused' as const), status: fc.integer({ min: 0, max: 599 }) }),
  fc.record({ type: fc.constant('failed' as const), reason: fc.string() }),
  fc.record({ type: fc.constant('closed' as const), code: fc.integer({ min: 1000, max: 4999 }), reason: fc.string() }),
);

test('no wait for the next WebSocket is longer than a beat or 15 s, but for an upgrade that nobody understands', () => {
  const counts = { failures: fc.integer({ min: 1, max: 1e9 }), beatMs: fc.integer({ min: 250, max: 86_400_000 }) };
  fc.assert(
    fc.property(ends, fc.record(counts), fc.integer(), (end, { failures, beatMs }, seed) => {
      const waitMs = reconnectMs({ end, failures, beatMs }, seededRandom(seed));
      assert.ok(waitMs >= 0);
      assert.ok(waitMs <= (end.type === 'refused' ? 300_000 : Math.min(BACKOFF_CAP_MS, beatMs)), String(waitMs));
    }),
  );
});
