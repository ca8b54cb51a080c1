/** What an image carries of the output: the end of the stream that the server did not have when the job was saved. */
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { SavedOutput } from '../images/manifest.ts';
import { logOffsetOfLast } from '../output/output-join.ts';
import type { JobContext } from './job-context.ts';

/** Writes that end beside the engine's files; resolves with where in the stream it belongs. `logBytes`: of the node's log. */
export async function saveOutputEnd(
  { folder, output, record }: JobContext,
  stream: 'stdout' | 'stderr',
  logBytes: number,
): Promise<SavedOutput> {
  const segments = record.segments[stream];
  const path = folder.output(stream);
  const start = segments.at(-1)?.start ?? 0;
  const shift = start - logOffsetOfLast(segments);
  const length = logBytes + shift;
  const acknowledged = Math.min(length, Math.max(start, output[stream].state.acknowledged + shift));
  await copyPart(path, acknowledged - shift, logBytes, join(folder.dump, `${stream}.tail`));
  return { path, segments: [...segments], length, acknowledged };
}

async function copyPart(from: string, start: number, end: number, to: string): Promise<void> {
  const source = await open(from, 'r');
  const target = await open(to, 'w', 0o600);
  try {
    const buffer = Buffer.allocUnsafe(1_048_576);
    for (let at = start; at < end; ) {
      const { bytesRead } = await source.read(buffer, 0, Math.min(buffer.byteLength, end - at), at);
      if (bytesRead === 0) break;
      await target.write(buffer, 0, bytesRead);
      at += bytesRead;
    }
  } finally {
    await source.close();
    await target.close();
  }
}
