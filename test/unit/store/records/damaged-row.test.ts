import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import { EventRow, encodeEventRow } from '../../../../src/store/records/job-event-row.ts';
import { event, timed } from '../../../support/job-events.ts';

const ROW = encodeEventRow(
  [
    timed(event('08:00:00', 'Job-Creating', { nodeOid: 'n', containerId: 'c' })),
    timed(event('08:00:01', 'Job-Running')),
    timed(event('08:00:02', 'Volume-Attached', { volumnId: 'v' })),
  ],
  [],
);

test('a row with one byte damaged is read, or refused as damaged; nothing else is thrown, and nothing beyond it is read', () => {
  // Bytes behind the row that a size which is too large would reach.
  const shared = new Uint8Array(ROW.byteLength + 512).fill(0x20);
  let refused = 0;
  for (let at = 0; at < ROW.byteLength; at++) {
    for (let byte = 0; byte < 256; byte += 3) {
      shared.set(ROW);
      shared[at] = byte;
      const row = shared.subarray(0, ROW.byteLength);
      try {
        const read = new EventRow(1, row);
        for (const [place, { whole }] of read.events.entries()) {
          assert.equal(typeof whole, 'object');
          assert.ok(!read.jsonOf(place).toString().includes('   '), `byte ${at} as ${byte} leads beyond the row`);
        }
      } catch (error) {
        assert.ok(
          error instanceof CodedError,
          `byte ${at} as ${byte}: ${error instanceof Error ? error.stack : error}`,
        );
        refused++;
      }
    }
  }
  assert.ok(refused > 1_000);
});
