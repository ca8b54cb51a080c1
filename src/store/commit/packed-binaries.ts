/**
 * MessagePack of a list of byte arrays, written straight into its place: a journal entry of a busy server is 100 KB, and each
 * copy on its way would be garbage outside V8's heap, which V8 collects by marking the whole heap
 * (docs/decisions/0190-what-waits-is-small.md).
 */

const FIXARRAY_MAX = 15;
const ARRAY_16 = 0xdc;
const ARRAY_32 = 0xdd;
const BIN_8 = 0xc4;
const BIN_16 = 0xc5;
const BIN_32 = 0xc6;

export function packedSizeOf(binaries: readonly Uint8Array[]): number {
  let size = arrayHeadSize(binaries.length);
  for (const { byteLength } of binaries) size += binaryHeadSize(byteLength) + byteLength;
  return size;
}

/** Fills `into`, which has just the packed size, with what msgpackr would make of the list. */
export function packBinaries(binaries: readonly Uint8Array[], into: Uint8Array): void {
  const view = new DataView(into.buffer, into.byteOffset, into.byteLength);
  let at = writeArrayHead(view, binaries.length);
  for (const bytes of binaries) {
    at = writeBinaryHead(view, at, bytes.byteLength);
    into.set(bytes, at);
    at += bytes.byteLength;
  }
}

function arrayHeadSize(length: number): number {
  if (length <= FIXARRAY_MAX) return 1;
  return length < 0x1_0000 ? 3 : 5;
}

function writeArrayHead(view: DataView, length: number): number {
  const size = arrayHeadSize(length);
  if (size === 1) view.setUint8(0, 0x90 | length);
  else if (size === 3) {
    view.setUint8(0, ARRAY_16);
    view.setUint16(1, length);
  } else {
    view.setUint8(0, ARRAY_32);
    view.setUint32(1, length);
  }
  return size;
}

function binaryHeadSize(byteLength: number): number {
  if (byteLength < 0x100) return 2;
  return byteLength < 0x1_0000 ? 3 : 5;
}

/** Returns where the bytes begin. */
function writeBinaryHead(view: DataView, at: number, byteLength: number): number {
  const size = binaryHeadSize(byteLength);
  if (size === 2) {
    view.setUint8(at, BIN_8);
    view.setUint8(at + 1, byteLength);
  } else if (size === 3) {
    view.setUint8(at, BIN_16);
    view.setUint16(at + 1, byteLength);
  } else {
    view.setUint8(at, BIN_32);
    view.setUint32(at + 1, byteLength);
  }
  return at + size;
}
