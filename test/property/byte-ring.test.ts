/** Followers of a ring get every byte once, in order, or know that they are behind it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteRing } from '../../src/gateway/streams/byte-ring.ts';
import fc from '../support/laws/fast-check.ts';

const command = fc.oneof(
  fc.record({ type: fc.constant('take' as const), size: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ type: fc.constant('leave-out' as const), size: fc.integer({ min: 1, max: 40 }) }),
  fc.constant({ type: 'seal' as const, size: 0 }),
  fc.record({ type: fc.constant('read' as const), size: fc.nat(3) }),
);

test('whatever comes, is left out and is dropped, a reader gets the log’s bytes from its position on', () => {
  fc.assert(
    fc.property(fc.array(command, { maxLength: 100 }), fc.integer({ min: 1, max: 100 }), (commands, bytesMax) => {
      const ring = new ByteRing(bytesMax);
      const byteAt = (position: number): number => position % 251;
      const bytesAt = (position: number, size: number): Uint8Array =>
        Uint8Array.from({ length: size }, (_, i) => byteAt(position + i));
      let end = 1_000;
      let position = end;
      for (const { type, size } of commands) {
        if (type === 'take') {
          ring.take(end, bytesAt(end, size));
          end += size;
        } else if (type === 'leave-out') end += size;
        else if (type === 'seal') ring.seal();
        else if (ring.start !== null && position < ring.start) position = ring.start;
        else {
          const chunk = ring.at(position);
          assert.deepEqual(chunk && [...chunk], chunk && [...bytesAt(position, chunk.byteLength)]);
          position += chunk?.byteLength ?? 0;
        }
        assert.ok(position <= end);
      }
      ring.seal();
      if (ring.start === null) return;
      for (let at = Math.max(position, ring.start); at < ring.end; ) {
        const chunk = ring.at(at);
        assert.ok(chunk, 'a byte between start and end is missing');
        assert.deepEqual([...chunk], [...bytesAt(at, chunk.byteLength)]);
        at += chunk.byteLength;
      }
    }),
  );
});
