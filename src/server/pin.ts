/** What the server holds for another process that reads its database: see store/files/live-view.ts. */
import type { ControlReply } from '../store/files/data-directory-lock.ts';
import { pinDatabase } from '../store/kv/lmdb-store.ts';
import type { Reader } from '../store/kv/store.ts';

export function pin(reader: Reader): ControlReply {
  return { ok: true, message: 'the state of this moment stays', release: pinDatabase(reader) };
}
