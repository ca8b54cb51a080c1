/**
 * Ships one log file, a step at a time: open it (or the generation that was not finished), agree with the server on what
 * it has, send what is new, and go on to the next generation when this one is finished. The decisions are in
 * `log-cursor.ts` and `rotation.ts`.
 */

import type { AgentLog } from '../base/log.ts';
import type { Outcome } from '../link/outcome.ts';
import {
  advanced,
  HEAD_BYTES_MAX,
  isSameFile,
  type LogCursor,
  newCursor,
  nextGeneration,
  reconciled,
  serverOffsetOf,
  withHead,
} from './log-cursor.ts';
import { findSiblings, LogFile, tryIdentity } from './log-file.ts';
import type { LogState } from './log-state.ts';
import { nextSibling, rotationVerdict } from './rotation.ts';

export interface LogTailParts {
  readonly path: string;
  readonly state: LogState;
  /** Appends at an offset of the server's log. */
  readonly post: (path: string, offset: number, bytes: Uint8Array) => Promise<Outcome>;
  readonly monotonicMs: () => number;
  readonly log: AgentLog;
}

export type StepResult =
  /** A chunk was taken; `more` where it was a whole one, so that there is probably more. */
  | { readonly type: 'sent'; readonly more: boolean }
  /** Nothing was sent, but the next step can go on at once. */
  | { readonly type: 'settled' }
  /** All is sent, and the file was rotated away a moment ago. */
  | { readonly type: 'lingers' }
  | { readonly type: 'idle' }
  | { readonly type: 'failed'; readonly outcome: Exclude<Outcome, { type: 'accepted' }> };

const IDLE: StepResult = { type: 'idle' };
const SETTLED: StepResult = { type: 'settled' };

/** Bounds the memory of the agent and the time that a chunk holds the connection. */
export const CHUNK_BYTES_MAX = 1_048_576;

export class LogTail {
  readonly path: string;
  readonly #parts: LogTailParts;
  #cursor: LogCursor | null;
  #file: LogFile | null = null;
  /** The server's size is known for the generation that the cursor names. */
  #isAgreed = false;
  #grewAtMs = 0;
  #rotatedAtMs: number | null = null;

  constructor(parts: LogTailParts) {
    this.path = parts.path;
    this.#parts = parts;
    this.#cursor = parts.state.get(parts.path);
  }

  async step(): Promise<StepResult> {
    const file = this.#file ?? (await this.#open());
    if (!file) return IDLE;
    this.#file = file;
    // Kept before the first contact: it may be rotated while the server is away and the agent restarts.
    const cursor = this.#cursor ?? (await this.#begin(newCursor(file.identity)));
    if (!this.#isAgreed) return this.#agree(file, cursor);
    const size = await file.size();
    if (await this.#isNewContent(file, cursor, size)) {
      this.#parts.log.info(`${this.path} was truncated: reading it from the beginning`);
      await this.#begin(nextGeneration(cursor, file.identity));
      return SETTLED;
    }
    if (size <= cursor.fileOffset) return this.#lookForRotation(file, cursor);
    const sent = await this.#send(file, cursor, size);
    if (sent.type !== 'sent' || sent.more || !this.#cursor) return sent;
    // Also a file that never stops growing may have been rotated long ago.
    const looked = await this.#lookForRotation(file, this.#cursor);
    return looked.type === 'settled' ? looked : sent;
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = null;
  }

  /** The file to ship from: the generation of the cursor where it can be found, else the one at the path. */
  async #open(): Promise<LogFile | null> {
    const cursor = this.#cursor;
    const live = await LogFile.open(this.path);
    if (!cursor || (live && (await isGeneration(live, cursor)))) return live;
    for (const sibling of await findSiblings(this.path)) {
      if (sibling.inode !== cursor.inode) continue;
      const rotated = await LogFile.open(sibling.path);
      if (rotated && (await isGeneration(rotated, cursor))) {
        await live?.close();
        return rotated;
      }
      await rotated?.close();
    }
    return live;
  }

  /** An append of nothing at offset 0 makes the server say its size, in one way or another. */
  async #agree(file: LogFile, cursor: LogCursor): Promise<StepResult> {
    const outcome = await this.#parts.post(this.path, 0, new Uint8Array(0));
    const size = outcome.type === 'conflict' ? outcome.size : outcome.type === 'accepted' ? 0 : null;
    if (size === null) return { type: 'failed', outcome: outcome as Exclude<Outcome, { type: 'accepted' }> };
    const isSame = await isGeneration(file, cursor);
    const agreed = { ...reconciled(cursor, size, isSame ? await file.size() : null), ...file.identity };
    if (!isSame) {
      this.#parts.log.warn(`${this.path} was replaced while the agent was not watching it: its unsent end is lost`);
    }
    await this.#begin(isSame ? agreed : nextGeneration(agreed, file.identity));
    this.#isAgreed = true;
    this.#parts.log.debug(`${this.path}: the server has ${size} bytes`);
    return SETTLED;
  }

  async #send(file: LogFile, cursor: LogCursor, size: number): Promise<StepResult> {
    const wanted = Math.min(size - cursor.fileOffset, CHUNK_BYTES_MAX);
    const bytes = await file.read(cursor.fileOffset, wanted);
    if (bytes.byteLength === 0) return IDLE;
    this.#grewAtMs = this.#parts.monotonicMs();
    const outcome = await this.#parts.post(this.path, serverOffsetOf(cursor), bytes);
    if (outcome.type === 'conflict') {
      await this.#begin(reconciled(cursor, outcome.size, size));
      return { type: 'failed', outcome };
    }
    if (outcome.type !== 'accepted') return { type: 'failed', outcome };
    await this.#advance(file, cursor, bytes.byteLength);
    return { type: 'sent', more: bytes.byteLength === CHUNK_BYTES_MAX };
  }

  async #advance(file: LogFile, cursor: LogCursor, bytes: number): Promise<void> {
    const next = advanced(cursor, bytes);
    this.#cursor =
      cursor.headBytes >= HEAD_BYTES_MAX
        ? next
        : withHead(next, await file.head(Math.min(next.fileOffset, HEAD_BYTES_MAX)));
    this.#parts.state.set(this.path, this.#cursor);
  }

  /** Truncated in place: it is shorter than what was sent, or longer again but with another beginning. */
  async #isNewContent(file: LogFile, cursor: LogCursor, size: number): Promise<boolean> {
    if (size < cursor.fileOffset) return true;
    return size > cursor.fileOffset && !(await file.beginsWith(cursor));
  }

  async #lookForRotation(file: LogFile, cursor: LogCursor): Promise<StepResult> {
    const nowMs = this.#parts.monotonicMs();
    const live = await tryIdentity(this.path);
    const rotatedAtMs = this.#rotatedAtMs;
    const verdict = rotationVerdict({ live, open: file.identity, nowMs, grewAtMs: this.#grewAtMs, rotatedAtMs });
    this.#rotatedAtMs = verdict === 'stay' ? null : (rotatedAtMs ?? nowMs);
    if (verdict === 'linger') return { type: 'lingers' };
    if (verdict === 'stay' || !live) return IDLE;
    const finished = { path: this.path, ...file.identity, changedNs: await file.changedNs() };
    const between = nextSibling(await findSiblings(this.path), finished, live);
    const next = await LogFile.open(between?.path ?? this.path);
    if (!next) return IDLE;
    if (between && !isSameFile(next.identity, between)) {
      // Rotated once more between looking and opening: look again.
      await next.close();
      return SETTLED;
    }
    this.#parts.log.info(`${this.path} was rotated: continuing with ${between?.path ?? 'the new file'}`);
    await this.#begin(nextGeneration(cursor, next.identity));
    this.#file = next;
    await file.close();
    return SETTLED;
  }

  /** On disk before anything is sent from it. */
  async #begin(cursor: LogCursor): Promise<LogCursor> {
    await this.#parts.state.begin(this.path, cursor);
    this.#cursor = cursor;
    this.#rotatedAtMs = null;
    return cursor;
  }
}

/**
 * Whether the file is the cursor's file, also after a restart of the machine, which may renumber its devices: then the
 * beginning of the file decides.
 */
async function isGeneration(file: LogFile, cursor: LogCursor): Promise<boolean> {
  const { device, inode } = file.identity;
  const isCandidate = inode === cursor.inode && (device === cursor.device || cursor.headBytes > 0);
  return isCandidate && (await file.beginsWith(cursor));
}
