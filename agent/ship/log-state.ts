/** `logs.json`: how far each log has been shipped. Without it, or with a broken one, the server's sizes are what counts. */
import { join } from 'node:path';
import { writeFileAtomically } from '../base/atomic-file.ts';
import { tryRead } from '../host/probe.ts';
import type { LogCursor } from './log-cursor.ts';

/** Paths that are remembered, also ones that are no longer asked for. Overflow policy: the longest unused go. */
const PATHS_MAX = 1_024;

export class LogState {
  readonly #file: string;
  readonly #cursors: Map<string, LogCursor>;
  #isChanged = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#file = join(folder, 'logs.json');
    this.#cursors = cursorsOf(tryRead(this.#file));
  }

  get(path: string): LogCursor | null {
    return this.#cursors.get(path) ?? null;
  }

  /** In memory only; `save` is called now and then, because the server knows a lost offset. */
  set(path: string, cursor: LogCursor): void {
    // Written again, so that the order is that of use.
    this.#cursors.delete(path);
    this.#cursors.set(path, cursor);
    for (const oldest of this.#cursors.keys()) {
      if (this.#cursors.size <= PATHS_MAX) break;
      this.#cursors.delete(oldest);
    }
    this.#isChanged = true;
  }

  /** A new generation: on disk when this resolves, before any of its bytes is sent. */
  async begin(path: string, cursor: LogCursor): Promise<void> {
    this.set(path, cursor);
    await this.save({ durable: true });
  }

  save({ durable }: { durable: boolean }): Promise<void> {
    const write = this.#writing
      .catch(() => {})
      .then(async () => {
        if (!this.#isChanged) return;
        this.#isChanged = false;
        try {
          const text = `${JSON.stringify(Object.fromEntries(this.#cursors), null, 1)}\n`;
          await writeFileAtomically(this.#file, text, { durable });
        } catch (error) {
          this.#isChanged = true;
          throw error;
        }
      });
    this.#writing = write;
    return write;
  }
}

export function cursorsOf(text: string): Map<string, LogCursor> {
  const cursors = new Map<string, LogCursor>();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return cursors;
  }
  for (const [path, value] of Object.entries(typeof parsed === 'object' && parsed !== null ? parsed : {})) {
    const cursor = tryCursor(value);
    if (cursor) cursors.set(path, cursor);
  }
  return cursors;
}

function tryCursor(value: unknown): LogCursor | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { device, inode, headBytes, headHash, fileOffset, sentBase } = value as Record<string, unknown>;
  const texts = [device, inode, headHash].every((text) => typeof text === 'string');
  const counts = [headBytes, fileOffset, sentBase].every(
    (count) => Number.isSafeInteger(count) && (count as number) >= 0,
  );
  return texts && counts ? ({ device, inode, headBytes, headHash, fileOffset, sentBase } as LogCursor) : undefined;
}
