/** A store whose commits fail when told to; nothing of a failed commit is there, as the store contract says. */
import { CodedError } from '../../src/base/errors.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import type { PackedWrites } from '../../src/store/kv/write-batch.ts';

export class FaultyStore extends MemoryStore {
  /** Fails the commits that it says yes to. */
  fails: (batches: readonly PackedWrites[]) => boolean = () => false;
  commits = 0;

  override commit(batches: readonly PackedWrites[]): void {
    this.commits++;
    if (this.fails(batches)) throw new CodedError('storageFull');
    super.commit(batches);
  }
}
