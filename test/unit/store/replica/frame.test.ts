import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SCHEMA_NUMBER } from '../../../../src/store/kv/schema.ts';
import {
  decodeFrame,
  digestOf,
  encodeFrame,
  FRAME_HEADER_SIZE,
  type Frame,
  isSameDigest,
  NO_DIGEST,
  splitPayload,
} from '../../../../src/store/replica/frame.ts';

const FRAME: Frame = {
  kind: 'writes',
  part: 1,
  parts: 3,
  term: 4_000_000_000,
  timeMs: 1_700_000_000_123,
  previous: digestOf(Buffer.from('before')),
  payload: Buffer.from('payload'),
};

describe('frames of the stream', () => {
  it('come back as they were', () => {
    for (const kind of ['writes', 'log', 'term', 'barrier'] as const) {
      const { payload, previous, ...head } = decodeFrame(encodeFrame({ ...FRAME, kind }));
      assert.deepEqual(head, { kind, part: 1, parts: 3, term: 4_000_000_000, timeMs: 1_700_000_000_123 });
      assert.equal(Buffer.from(payload).toString(), 'payload');
      assert.ok(isSameDigest(previous, FRAME.previous));
    }
  });

  it('are refused where they are cut, of another kind, a part too many, or of another schema, with what to do', () => {
    const whole = encodeFrame(FRAME);
    assert.throws(() => decodeFrame(whole.subarray(0, FRAME_HEADER_SIZE - 1)), /not one of Cairn/);
    assert.throws(() => decodeFrame(Buffer.alloc(0)), /not one of Cairn/);
    assert.throws(() => decodeFrame(Uint8Array.from(whole, (byte, i) => (i === 1 ? 9 : byte))), /not one of Cairn/);
    assert.throws(() => decodeFrame(encodeFrame({ ...FRAME, part: 3 })), /part too many/);
    const ofSchema = (schema: number) => Uint8Array.from(whole, (byte, i) => (i === 0 ? schema : byte));
    assert.throws(() => decodeFrame(ofSchema(SCHEMA_NUMBER + 1)), /start a newer version/);
    assert.throws(
      () => decodeFrame(ofSchema(SCHEMA_NUMBER - 1)),
      /upgrade every server, then give the cluster a new name/,
    );
  });

  it('have a digest that changes with every byte, also of the history before', () => {
    const whole = encodeFrame(FRAME);
    const digests = new Set([Buffer.from(digestOf(whole)).toString('hex')]);
    for (let i = 0; i < whole.byteLength; i++) {
      const changed = Uint8Array.from(whole);
      changed[i] = (changed[i] as number) ^ 1;
      digests.add(Buffer.from(digestOf(changed)).toString('hex'));
    }
    assert.equal(digests.size, whole.byteLength + 1);
    assert.ok(!isSameDigest(NO_DIGEST, digestOf(whole)));
  });

  it('split a payload into pieces that join to it; an empty one is one empty piece', () => {
    const payload = Uint8Array.from({ length: 1_000 }, (_, i) => i % 251);
    for (const size of [1, 7, 999, 1_000, 1_001]) {
      const pieces = splitPayload(payload, size);
      assert.equal(pieces.length, Math.ceil(1_000 / size));
      assert.deepEqual(Buffer.concat(pieces), Buffer.from(payload));
    }
    assert.deepEqual(
      splitPayload(new Uint8Array(0), 10).map(({ byteLength }) => byteLength),
      [0],
    );
    assert.throws(() => splitPayload(new Uint8Array(70_000), 1), { name: 'tooLarge' });
  });
});
