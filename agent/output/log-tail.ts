/** The end of a job's output, as an image has it in a file of its own, in the log of its node. */
import { type FileHandle, open } from 'node:fs/promises';
import { sharedLength } from './output-join.ts';

const CHUNK = 1_048_576;

/** How many bytes of the tail stand in the log from `at` on, one after the other. */
export async function bytesInPlace(logPath: string, at: number, tailPath: string): Promise<number> {
  const log = await open(logPath, 'r');
  const tail = await open(tailPath, 'r');
  try {
    const [mine, saved] = [Buffer.allocUnsafe(CHUNK), Buffer.allocUnsafe(CHUNK)];
    for (let done = 0; ; ) {
      const { bytesRead: wanted } = await tail.read(saved, 0, CHUNK, done);
      const { bytesRead: there } = await log.read(mine, 0, CHUNK, at + done);
      const same = sharedLength(saved.subarray(0, wanted), mine.subarray(0, there));
      done += same;
      if (same === 0 || same < wanted) return done;
    }
  } finally {
    await log.close();
    await tail.close();
  }
}

/** Writes the tail from `from` on at the log's end. */
export async function appendTail(log: FileHandle, tailPath: string, from: number): Promise<void> {
  const tail = await open(tailPath, 'r');
  try {
    const buffer = Buffer.allocUnsafe(CHUNK);
    for (let at = from; ; ) {
      const { bytesRead } = await tail.read(buffer, 0, CHUNK, at);
      if (bytesRead === 0) return;
      await log.writeFile(buffer.subarray(0, bytesRead));
      at += bytesRead;
    }
  } finally {
    await tail.close();
  }
}
