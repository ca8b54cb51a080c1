import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack } from 'msgpackr';
import { packBinaries, packedSizeOf } from '../../../../src/store/commit/packed-binaries.ts';

const LENGTHS = [0, 1, 255, 256, 65_535, 65_536];
const COUNTS = [0, 1, 15, 16, 65_535, 65_536];

function mine(binaries: readonly Uint8Array[]): Buffer {
  const size = packedSizeOf(binaries);
  // Beyond its end lies what is not its own.
  const memory = Buffer.alloc(size + 16, 0xee);
  packBinaries(binaries, memory.subarray(8, 8 + size));
  assert.ok(
    memory.subarray(0, 8).every((byte) => byte === 0xee) && memory.subarray(8 + size).every((byte) => byte === 0xee),
  );
  return memory.subarray(8, 8 + size);
}

test('a list of byte arrays is the MessagePack that msgpackr makes of it, at every width of its lengths', () => {
  const lists = [
    ...LENGTHS.map((length) => [new Uint8Array(length).fill(7), Uint8Array.of(1, 2)]),
    ...COUNTS.map((count) => new Array<Uint8Array>(count).fill(Uint8Array.of(3))),
  ];
  for (const list of lists) assert.ok(mine(list).equals(pack(list)), `${list.length} of ${list[0]?.byteLength} bytes`);
});
