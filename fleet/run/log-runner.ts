/**
 * A node's log files, appended piece by piece by offset. A call without an answer may have stored the piece, a part of it,
 * or nothing; the server's 409 says where it stands, and the rest is sent from there.
 */
import { logPiece } from '../plan/log-text.ts';
import { segment } from '../wire/client.ts';
import { persist } from '../wire/persist.ts';
import type { LogRecord, NodeRecord } from './node-record.ts';
import type { RunContext } from './run-context.ts';

/** Real milliseconds between the pieces of one file: tens of syncing appends a second from a hundred nodes. */
const PIECE_INTERVAL_MS = 2_000;

/** Done when every file is as far as it comes; a refused append ends its file. */
export async function uploadLogs(run: RunContext, record: NodeRecord): Promise<void> {
  await Promise.all(record.life.logFiles.map((file) => uploadFile(run, record, file)));
}

async function uploadFile(run: RunContext, record: NodeRecord, file: string): Promise<void> {
  const log: LogRecord = { pieces: 0, size: 0 };
  const jitter = (record.life.id.length + file.length) % 10;
  while (record.standing === 'running') {
    if (!(await run.clock.pause(PIECE_INTERVAL_MS * (0.5 + jitter / 10)))) return;
    const piece = logPiece(run.world.seed, record.life.id, file, log.pieces);
    // Beyond its cap the server drops the oldest lines, and what is left would no longer be foreseeable.
    if (log.size + piece.byteLength > run.server.logFileSizeMax) return;
    try {
      await append(run, record.life.id, file, log.size, piece);
    } catch (error) {
      run.stats.lose(error);
      record.logs.delete(file);
      return;
    }
    log.pieces++;
    log.size += piece.byteLength;
    run.stats.logBytes += piece.byteLength;
    record.logs.set(file, log);
  }
}

/** Brings the stored size from `from` to `from + piece.length`, whatever is lost on the way. */
async function append(run: RunContext, nodeId: string, file: string, from: number, piece: Buffer): Promise<void> {
  const path = `/api/v1/nodes/${segment(nodeId)}/files/${file.split('/').map(segment).join('/')}`;
  const end = from + piece.byteLength;
  let size = from;
  while (size < end) {
    const body = { bytes: piece.subarray(size - from), type: 'application/octet-stream' };
    const send = () => run.client.request('POST', `${path}?offset=${size}`, body);
    const { status, body: answer } = await persist(
      `an append to ${file} of ${nodeId}`,
      send,
      run.persistence,
      [200, 409],
    );
    const stored = storedSize(status, answer);
    if (stored < from || stored > end || (status === 200 && stored !== end)) {
      run.stats.fault(`${file} of ${nodeId} was at ${from}; ${end} was sent; the server has ${stored} (${status})`);
      return;
    }
    size = stored;
  }
}

function storedSize(status: number, answer: Buffer): number {
  const { size, fields } = JSON.parse(answer.toString()) as { size?: number; fields?: { size?: number } };
  return (status === 200 ? size : fields?.size) ?? -1;
}
