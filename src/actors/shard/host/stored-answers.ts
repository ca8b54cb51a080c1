/** What a shard answers on a server that does not lead: it has no actors, and reads what they have written. */
import type { Reader } from '../../../store/kv/store.ts';
import type { DirectoryMessage } from '../../node/directory.ts';
import type { RunningNode } from '../../node/node-tally.ts';
import { StoredDirectory } from '../../node/stored-directory.ts';
import type { AnyAddress, AnyMessage } from '../../runtime/address.ts';
import type { Done } from '../../runtime/cell.ts';
import { DIRECTORY } from '../wire/placement.ts';

export class StoredAnswers {
  readonly #directory: StoredDirectory;

  constructor(reader: Reader, monotonicMs: () => number) {
    this.#directory = new StoredDirectory(reader, monotonicMs);
  }

  /** See `StoredDirectory`. */
  running(shard: number): Iterable<RunningNode | null> {
    return this.#directory.running(shard);
  }

  /** Aggregators have nothing open here: what they have not written yet is the leader's to tell. */
  request(to: AnyAddress, message: AnyMessage, done: Done): void {
    if (to.kind === DIRECTORY) done(null, this.#directory.answer(Number(to.id), message as DirectoryMessage));
    else if (message.type === 'open' || message.type === 'totals') done(null, []);
    else done({ name: 'notLeader' }, undefined);
  }
}
