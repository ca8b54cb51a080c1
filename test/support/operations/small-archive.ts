/** A backup's archive of files that a test names, without a server. */
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiveWriter } from '../../../src/store/backup/archive-writer.ts';
import { type Manifest, type ManifestHead, manifestRoom } from '../../../src/store/backup/manifest.ts';

export const HEAD: ManifestHead = {
  format: 'cairn-backup/1',
  server: 'server-a',
  createdAt: '2026-01-31T08:00:00.000Z',
  version: '0.1.0',
  schema: 2,
  dataFolder: '/var/lib/cairn',
  logFolder: '/var/log/cairn',
};

export async function writeSmallArchive(
  folder: string,
  name: string,
  files: Readonly<Record<string, string | Buffer>>,
  head: Partial<ManifestHead> = {},
): Promise<{ path: string; manifest: Manifest }> {
  const path = join(folder, name);
  const whole = { ...HEAD, ...head };
  const writer = await ArchiveWriter.create(path, manifestRoom(whole, Object.keys(files)));
  for (const [entry, content] of Object.entries(files)) {
    const source = join(folder, 'source');
    await writeFile(source, content);
    const file = await open(source, 'r');
    await writer.add(
      { path: entry, descriptor: file.fd, size: Buffer.byteLength(content), mtimeMs: 1_769_846_400_123 },
      () => {},
    );
    await file.close();
  }
  return { path, manifest: await writer.finish(whole) };
}
