/**
 * The first file of a backup: what it is a backup of, and every file in it with its size and SHA-256. Its own SHA-256 is
 * the second file, `manifest.sha256`, in the form that `sha256sum -c` reads.
 *
 *   manifest.json · manifest.sha256 · data/config.json · data/keys/… · logs/nodes/… · data/db/data.mdb
 *
 * It is written last, over a room kept free for it, and filled up with spaces: the hashes are known only when the files
 * have been read.
 */
import { z } from 'zod';

export const MANIFEST_NAME = 'manifest.json';
export const MANIFEST_HASH_NAME = 'manifest.sha256';
export const MANIFEST_FORMAT = 'cairn-backup/1';
/** Where things lie in the archive. */
export const DATA_PREFIX = 'data/';
export const LOG_PREFIX = 'logs/';
export const DATABASE_PATH = 'data/db/data.mdb';

const fileSchema = z.object({
  path: z.string(),
  size: z.number().int().nonnegative(),
  /** Milliseconds since 1970. */
  mtimeMs: z.number().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifestSchema = z.object({
  format: z.literal(MANIFEST_FORMAT),
  /** `id` of the server's configuration: archives of one server share it. */
  server: z.string(),
  /** RFC 3339, when the backup began: every fact acknowledged before it is inside. */
  createdAt: z.string(),
  /** Version of the program that wrote it. */
  version: z.string(),
  /** Schema number of the database. */
  schema: z.number().int(),
  /** Absolute folders that were backed up; null where the node logs are not in it. */
  dataFolder: z.string(),
  logFolder: z.string().nullable(),
  files: z.array(fileSchema),
});

export type ManifestFile = Readonly<z.infer<typeof fileSchema>>;
export type Manifest = Readonly<z.infer<typeof manifestSchema>>;
export type ManifestHead = Omit<Manifest, 'files'>;

/** Throws a sentence where the text is no manifest of a form that this version knows. */
export function parseManifest(text: string): Manifest {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new Error('it is not JSON');
  }
  const format = (json as { format?: unknown } | null)?.format;
  if (format !== MANIFEST_FORMAT) throw new Error(`its format is ${JSON.stringify(format)}, not ${MANIFEST_FORMAT}`);
  const parsed = manifestSchema.safeParse(json);
  if (!parsed.success) throw new Error(`its ${parsed.error.issues[0]?.path.join('.')} is not valid`);
  return parsed.data;
}

/** What stands before the list of files, from the first bytes of a manifest; undefined where it is not one of ours. */
export function parseManifestHead(text: string): ManifestHead | undefined {
  const end = text.indexOf(',"files":[');
  if (end < 0) return undefined;
  try {
    const { files: _, ...head } = parseManifest(`${text.slice(0, end)},"files":[]}`);
    return head;
  } catch {
    return undefined;
  }
}

/** Exactly `room` bytes; throws where it does not fit. */
export function manifestText(manifest: Manifest, room: number): Buffer {
  const { files, ...head } = manifest;
  const text = `${JSON.stringify(head).slice(0, -1)},"files":[\n${files.map((file) => JSON.stringify(file)).join(',\n')}\n]}`;
  const bytes = Buffer.alloc(room, ' ');
  const size = Buffer.byteLength(text);
  if (size + 1 > room) throw new Error(`the manifest needs ${size} bytes, and ${room} are free`);
  bytes.write(text);
  bytes.write('\n', room - 1);
  return bytes;
}

/** Bytes that the manifest needs at most, with these paths. */
export function manifestRoom(head: ManifestHead, paths: Iterable<string>): number {
  let room = Buffer.byteLength(JSON.stringify(head)) + 64;
  const widest = { path: '', size: Number.MAX_SAFE_INTEGER, mtimeMs: Number.MAX_SAFE_INTEGER, sha256: '0'.repeat(64) };
  const rest = Buffer.byteLength(JSON.stringify(widest)) + 2;
  for (const path of paths) room += rest + Buffer.byteLength(JSON.stringify(path));
  return room;
}
