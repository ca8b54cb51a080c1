import assert from 'node:assert/strict';
import { test } from 'node:test';
import { beatKeyOf, decodeBeats, encodeBeats } from '../../../../src/store/records/heartbeat-log.ts';

test('rows are read wherever the bytes lie', () => {
  const rows = [
    { id: 'n-1', wallMs: 1_769_846_400_123 },
    { id: 'n-2', wallMs: 5 },
  ];
  const value = encodeBeats(rows);
  for (const offset of [0, 5, 8]) {
    const stored = Buffer.alloc(offset + value.byteLength, 0xff);
    stored.set(value, offset);
    const read: (readonly [number, number])[] = [];
    decodeBeats(stored.subarray(offset), (key, wallMs) => read.push([key, wallMs]));
    assert.deepEqual(
      read,
      rows.map(({ id, wallMs }) => [beatKeyOf(id), wallMs]),
      `at ${offset}`,
    );
  }
});
