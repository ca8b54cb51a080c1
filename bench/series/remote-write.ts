/**
 * Prometheus' remote write, as far as a bench needs it: one sample a series in a protobuf `WriteRequest`, framed as snappy without
 * compressing, so that the peer has the least to do. A library of either would be a dependency for two dozen lines.
 */
const LITERAL_MAX = 65_536;
/** Snappy's tag of a literal whose length is in the next two bytes. */
const LITERAL_OF_TWO_BYTES = 61 << 2;
const LENGTH_DELIMITED = 2;
const FIXED_64 = 1;

/** The labels of a series, by name in order. */
export function labelsOf(labels: readonly (readonly [name: string, value: string])[]): Uint8Array {
  const parts = labels.map(([name, value]) =>
    field(1, Buffer.concat([field(1, Buffer.from(name)), field(2, Buffer.from(value))])),
  );
  return Buffer.concat(parts);
}

/** One series with one sample, as a part of a request. */
export function seriesOf(labels: Uint8Array, timeMs: number, value: number): Uint8Array {
  const double = Buffer.alloc(9);
  double[0] = (1 << 3) | FIXED_64;
  double.writeDoubleLE(value, 1);
  const sample = Buffer.concat([double, Uint8Array.of(2 << 3), varint(timeMs)]);
  return field(1, Buffer.concat([labels, field(2, sample)]));
}

export function snappyOf(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [varint(bytes.length)];
  for (let at = 0; at < bytes.length; at += LITERAL_MAX) {
    const literal = bytes.subarray(at, at + LITERAL_MAX);
    const less = literal.length - 1;
    parts.push(Uint8Array.of(LITERAL_OF_TWO_BYTES, less & 0xff, less >>> 8), literal);
  }
  return Buffer.concat(parts);
}

function field(number: number, bytes: Uint8Array): Uint8Array {
  return Buffer.concat([Uint8Array.of((number << 3) | LENGTH_DELIMITED), varint(bytes.length), bytes]);
}

function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  bytes.push(rest);
  return Uint8Array.from(bytes);
}
