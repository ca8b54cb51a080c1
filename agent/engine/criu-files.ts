/**
 * Reads `files.img` of CRIU for the regular files that the saved processes had open: a few fields of a protobuf stream
 * (file_entry, reg_file_entry), so a reader of our own instead of a dependency. Pure.
 *
 *   u32 magic, u32 magic, then entries: u32 size, size bytes of protobuf
 */
export interface SavedFile {
  readonly path: string;
  readonly flags: number;
  readonly pos: number;
  readonly bytes: number | null;
}

const REGULAR = 1;
const HEADER_BYTES = 8;

export function savedFilesIn(image: Buffer): SavedFile[] {
  const files: SavedFile[] = [];
  let at = HEADER_BYTES;
  while (at + 4 <= image.byteLength) {
    const size = image.readUInt32LE(at);
    const entry = fieldsOf(image.subarray(at + 4, at + 4 + size));
    at += 4 + size;
    const regular = entry.get(3);
    if (entry.get(1) !== BigInt(REGULAR) || !Buffer.isBuffer(regular)) continue;
    const fields = fieldsOf(regular);
    const name = fields.get(6);
    if (!Buffer.isBuffer(name)) continue;
    const bytes = fields.get(8);
    files.push({
      path: name.toString('utf8').replace(/\0.*$/, ''),
      flags: numberOf(fields.get(2)),
      pos: numberOf(fields.get(3)),
      bytes: bytes === undefined ? null : numberOf(bytes),
    });
  }
  return files;
}

function numberOf(value: bigint | Buffer | undefined): number {
  return typeof value === 'bigint' ? Number(value) : 0;
}

/** The last value of each field, by its number. Stops where the bytes are no protobuf. */
function fieldsOf(bytes: Buffer): Map<number, bigint | Buffer> {
  const fields = new Map<number, bigint | Buffer>();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; at < bytes.byteLength; shift += 7n) {
      const byte = bytes[at++] as number;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  while (at < bytes.byteLength) {
    const key = Number(varint());
    switch (key & 7) {
      case 0:
        fields.set(key >> 3, varint());
        break;
      case 1:
        at += 8;
        break;
      case 2: {
        const length = Number(varint());
        fields.set(key >> 3, bytes.subarray(at, at + length));
        at += length;
        break;
      }
      case 5:
        at += 4;
        break;
      default:
        return fields;
    }
  }
  return fields;
}
