/**
 * The door to lmdb. Nothing else imports it.
 *
 * The writer uses synchronous transactions on a thread of its own, with `overlappingSync` off: when `transactionSync`
 * returns, the data pages are behind an fdatasync and the meta page was written with O_DSYNC (seen with strace), so
 * "returned" means "flushed". lmdb-js's asynchronous writer was rejected: its promises mean committed, not durable,
 * after a full disk its flush promise stays pending, and it may block the event loop that it writes from. See
 * docs/decisions/0003-writer-thread.md.
 */
import { join } from 'node:path';
import { ABORT, type Database, open, type RootDatabase } from 'lmdb';
import { CodedError } from '../../base/errors.ts';
import { ChangedKeys, changesBetween, changesKey } from './changed-keys.ts';
import { checkedValue, checkedView, damagedValue, hasChecksums, isDamaged, withChecksum } from './checksum.ts';
import { keyText, tellOfDamage } from './damage.ts';
import { DiskCheck, roomIn } from './disk-check.ts';
import { FileRoom } from './file-room.ts';
import { hasDamagedHeap } from './heap-damage.ts';
import { asBuffer, asKey } from './keys.ts';
import { bytesAllowed } from './process-limits.ts';
import type { Between, Counted, Entry, RangeOptions, Reader, Store } from './store.ts';
import { storeErrorOf } from './store-error.ts';
import { type CountedTable, type FollowedTable, isCounted, TABLES, type Table } from './tables.ts';
import { TransactionOrder } from './transaction-order.ts';
import { type PackedWrites, visitWrites } from './write-batch.ts';

type BinaryTable = Database<Buffer, Buffer>;

/** Threads times a few snapshots each; LMDB's own default is 126. */
const READERS_MAX = 512;

/** How many pages of the list of free ones LMDB looks at in a transaction, and keeps in memory for the next one. */
export interface FreePages {
  readonly load: number;
  readonly retain: number;
}

/**
 * A commit goes through all of the list that is in memory, and once a large value has looked for pages in a row that is as much
 * as may be loaded: the library's own 50,000 and 75,000 make a commit of one small value take 12 ms after 20,000 freed values,
 * these 0.3, for a tenth more of file. Measured in docs/decisions/0062-free-pages.md.
 */
const FREE_PAGES: FreePages = { load: 2_000, retain: 4_000 };

/**
 * Address space for the map of the file. It takes no memory: resident are pages that were read. Left to itself, LMDB maps some file and
 * doubles the map when it is full; the earlier maps stay, for who still reads in them, and a page that was read in several is
 * resident in each. Where address space is limited it is left to itself, because an opening that gets no map ends the process.
 * See docs/decisions/0196-one-map.md.
 */
const MAP = bytesAllowed('Max address space') === Number.POSITIVE_INFINITY ? { mapSize: 64 * 1024 ** 3 } : {};

const binary = { encoding: 'binary', keyEncoding: 'binary', cache: false } as const;

/**
 * Opens for reading only; the writer must have opened the folder before, so that every table exists. Who needs a few tables
 * only names them, and can read a folder of an older schema.
 */
export function openLmdbReader(folder: string, tables: readonly Table[] = TABLES): Reader {
  return new LmdbStore(openRoot(folder, true), folder, tables);
}

/** Copies the database as it is at this moment, without its free pages, into an empty folder; also while a server writes it. */
export async function copyLmdb(folder: string, toFolder: string): Promise<void> {
  const root = openRoot(folder, true);
  try {
    await root.backup(toFolder, true);
  } finally {
    await root.close();
  }
}

/** What is done where only a new process can go on. */
export interface StoreEnds {
  /** LMDB takes nothing more in this process, not even reads: a write of its meta page has failed. */
  readonly onLost: (failure: CodedError) => void;
  /** The heap of this process is damaged: nothing must come from it any more. */
  readonly onDamagedHeap: (error: unknown) => void;
}

const NO_ENDS: StoreEnds = { onLost: () => {}, onDamagedHeap: () => {} };

/** Opens for reading and writing, and makes what is missing. One per process. */
export function openLmdbStore(folder: string, freePages = FREE_PAGES, ends = NO_ENDS): Store {
  return new LmdbStore(openRoot(folder, false, freePages), folder, TABLES, { counts: new Map(), ...ends });
}

export interface DatabaseFigures {
  readonly fileBytes: number;
  /** Of it, pages that hold nothing. */
  readonly freeBytes: number;
  /** Who reads it, of any process, and how many transactions ago that view was the newest. */
  readonly readers: readonly { readonly pid: number; readonly behind: number }[];
}

/** Of a reader that one of the functions above has opened; undefined for any other. */
export function databaseFigures(reader: Reader): DatabaseFigures | undefined {
  return reader instanceof LmdbStore ? reader.figures() : undefined;
}

/**
 * Of a reader that one of the functions above has opened: no page of the state that it sees now is used again until the returned
 * function is called, once, before the reader is closed. Readers of processes that have ended are cleared.
 */
export function pinDatabase(reader: Reader): () => void {
  if (!(reader instanceof LmdbStore)) throw new CodedError('internal', 'it is no reader of a database');
  return reader.pin();
}

interface TreeStats {
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

interface RootStats extends TreeStats {
  readonly pageSize: number;
  readonly lastPageNumber: number;
  readonly lastTxnId: number;
  readonly free: TreeStats;
}

const META_PAGES = 2;

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: TreeStats): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}

function openRoot(folder: string, readOnly: boolean, { load, retain } = FREE_PAGES): RootDatabase<Buffer, Buffer> {
  // Its maintainer names these two; its types do not.
  const unlisted = { maxFreeSpaceToLoad: load, maxFreeSpaceToRetain: retain };
  return open<Buffer, Buffer>({
    ...unlisted,
    ...MAP,
    path: folder,
    ...binary,
    readOnly,
    maxDbs: TABLES.length + 8,
    maxReaders: READERS_MAX,
    overlappingSync: false,
    noSync: false,
    noMetaSync: false,
    useWritemap: false,
    // Zeroed pages: the heap's left-overs (tokens, say) must not reach the disk.
    noMemInit: false,
    eventTurnBatching: false,
  });
}

function openTable(root: RootDatabase<Buffer, Buffer>, name: string): BinaryTable {
  const table = tryOpenTable(root, name);
  if (!table) throw new CodedError('internal', `the database has no table ${name}`);
  return table;
}

/** Undefined where it is opened for reading, and is not there. */
function tryOpenTable(root: RootDatabase<Buffer, Buffer>, name: string): BinaryTable | undefined {
  return root.openDB<Buffer, Buffer>({ name, ...binary }) as BinaryTable | undefined;
}

/** What only the store that writes has. */
interface Writing extends StoreEnds {
  readonly counts: Map<Table, number>;
}

class LmdbStore implements Store {
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #folder: string;
  readonly #tables = new Map<Table, BinaryTable>();
  /** How often each counted table was written; beside the tables, because no batch writes it. Folders of schema 1 have none. */
  readonly #versions: BinaryTable | undefined;
  readonly #disk: DiskCheck;
  readonly #room: FileRoom;
  readonly #order: TransactionOrder;
  /** Of counted tables, until they are written again: nobody else writes. Null in a store that only reads. */
  readonly #counts: Map<Table, number> | null;
  readonly #ends: StoreEnds;
  #closed = false;

  constructor(root: RootDatabase<Buffer, Buffer>, folder: string, tables: readonly Table[], writing?: Writing) {
    this.#root = root;
    this.#folder = folder;
    this.#counts = writing?.counts ?? null;
    this.#ends = writing ?? NO_ENDS;
    this.#disk = new DiskCheck(folder, () => this.figures().freeBytes);
    this.#order = new TransactionOrder(root, ABORT, join(folder, 'lock.mdb'));
    this.#room = new FileRoom(join(folder, 'data.mdb'), {
      usedBytes: () => {
        const { lastPageNumber, pageSize } = root.getStats() as RootStats;
        return (lastPageNumber + 1) * pageSize;
      },
      availableBytes: () => roomIn(folder),
    });
    for (const name of new Set<Table>(['meta', ...tables])) {
      this.#tables.set(name, openTable(root, name));
    }
    this.#versions = tryOpenTable(root, 'versions');
  }

  refresh(): void {
    this.#mustBeOpen();
    this.#root.resetReadTxn();
  }

  get(table: Table, key: Uint8Array): Uint8Array | undefined {
    const stored = this.#table(table).getBinary(asKey(key));
    return stored && mustBeUsable(table, key, this.#checked(table, key, stored));
  }

  view(table: Table, key: Uint8Array): Uint8Array | undefined {
    const shared = this.#table(table).getBinaryFast(asKey(key));
    if (!shared) return undefined;
    // lmdb-js says the value's length on its shared buffer by a property; what a typed array does goes by the real one.
    const { buffer, byteOffset, length } = shared;
    const value = hasChecksums(table) ? checkedView(key, shared, length) : new Uint8Array(buffer, byteOffset, length);
    return mustBeUsable(table, key, value ?? this.#damaged(table, key));
  }

  range(table: Table, options: RangeOptions = {}): Iterable<Entry> {
    const { start, end, reverse, limit, keysOnly } = options;
    const bounds = reverse
      ? {
          reverse: true,
          ...(end ? { start: asKey(end), exclusiveStart: true } : {}),
          // Without a bound of ours, lmdb-js puts one at the key of one zero byte, which is a key like any other.
          end: start ? asKey(start) : NO_BYTES,
          inclusiveEnd: true,
        }
      : { ...(start ? { start: asKey(start) } : {}), ...(end ? { end: asKey(end) } : {}) };
    const asked = { ...bounds, ...(limit === undefined ? {} : { limit }) };
    if (keysOnly) return withoutValues(this.#table(table).getKeys(asked));
    const entries = this.#table(table).getRange(asked);
    return hasChecksums(table) ? this.#checkedEntries(table, entries) : entries;
  }

  *#checkedEntries(table: Table, entries: Iterable<Entry>): Generator<Entry> {
    for (const { key, value } of entries) {
      yield { key, value: value.byteLength === 0 ? value : this.#checked(table, key, value) };
    }
  }

  /** The value, or what no decoder can read in its place: each reader then does what it does with a damaged record. */
  #checked(table: Table, key: Uint8Array, stored: Uint8Array): Uint8Array {
    return (hasChecksums(table) ? checkedValue(key, stored) : stored) ?? this.#damaged(table, key);
  }

  #damaged(table: Table, key: Uint8Array): Uint8Array {
    tellOfDamage(this.#folder, table, key);
    return damagedValue();
  }

  /** lmdb-js reads the figures of three trees for it, in a transaction that it then ends by a timer: some 50 µs. */
  count(table: Table): number {
    const stored = this.#table(table);
    const known = this.#counts?.get(table);
    if (known !== undefined) return known;
    const { entryCount } = stored.getStats() as { entryCount: number };
    if (isCounted(table)) this.#counts?.set(table, entryCount);
    return entryCount;
  }

  countBetween(table: Table, { start, end }: Between, max: number): Counted {
    const stored = this.#table(table);
    // lmdb-js keeps what it works with in the options that it is given.
    const between = () => ({ start: asBuffer(start), ...(end ? { end: asBuffer(end) } : {}) });
    for (const next of stored.getKeys({ ...between(), offset: max, limit: 1 })) return { count: max, next };
    return { count: stored.getKeysCount(between()), next: null };
  }

  version(table: CountedTable): number {
    this.#mustBeOpen();
    const stored = this.#versions?.getBinary(Buffer.from(table));
    // Where it is damaged, the answers made before have other numbers.
    return (stored && Number(stored.toString('latin1'))) || 0;
  }

  changedSince(table: FollowedTable, version: number): readonly Uint8Array[] | null {
    return changesBetween(version, this.version(table), (one) => this.#versions?.getBinary(changesKey(table, one)));
  }

  commit(batches: readonly PackedWrites[]): void {
    this.#mustBeOpen();
    this.#disk.mustTake(sizeOf(batches));
    try {
      this.#order.transact(() => {
        const counted = new Set<CountedTable>();
        const changed = new ChangedKeys();
        for (const batch of batches) {
          visitWrites(batch, {
            put: (table, key, value) => {
              const bytes = asBuffer(key);
              this.#table(table).putSync(bytes, withChecksum(table, bytes, asBuffer(value)));
              if (isCounted(table)) counted.add(table);
              changed.add(table, bytes);
            },
            remove: (table, key) => {
              this.#table(table).removeSync(asBuffer(key));
              if (isCounted(table)) counted.add(table);
              changed.add(table, key);
            },
          });
        }
        for (const table of counted) {
          this.#counts?.delete(table);
          const version = this.version(table) + 1;
          this.#versions?.putSync(Buffer.from(table), Buffer.from(String(version)));
          const row = changed.rowOf(table, version);
          if (row) this.#versions?.putSync(row.key, row.value);
        }
      });
      this.#disk.succeeded();
      this.#room.spent(sizeOf(batches));
    } catch (error) {
      if (hasDamagedHeap(error)) this.#ends.onDamagedHeap(error);
      const failure = storeErrorOf(error, () => this.#isDiskFull(batches));
      if (failure.name !== 'internal') this.#disk.failed(failure);
      if (this.#isLost()) this.#ends.onLost(failure);
      throw failure;
    }
  }

  figures(): DatabaseFigures {
    this.refresh();
    const root = this.#root.getStats() as RootStats;
    const trees: TreeStats[] = [root, root.free];
    for (const table of [this.#versions, ...this.#tables.values()])
      if (table) trees.push(table.getStats() as TreeStats);
    const used = META_PAGES + trees.reduce((sum, tree) => sum + pagesOf(tree), 0);
    const pages = root.lastPageNumber + 1;
    // `pid thread txnid`, a line each; a dash where it reads nothing now.
    const readers = [...this.#root.readerList().matchAll(/^\s*(\d+)\s+\S+\s+(\d+|-)\s*$/gm)].map(([, pid, txn]) => ({
      pid: Number(pid),
      behind: txn === '-' ? 0 : Math.max(0, root.lastTxnId - Number(txn)),
    }));
    return { fileBytes: pages * root.pageSize, freeBytes: Math.max(0, pages - used) * root.pageSize, readers };
  }

  pin(): () => void {
    this.refresh();
    // Who reads beside the server has not opened the file that its readers are in, and cannot clear those of processes that ended.
    this.#root.readerCheck();
    // By another name: the linter takes it for a hook of React.
    const { useReadTransaction: begin } = this.#root;
    const transaction = begin.call(this.#root);
    return () => transaction.done();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#root.close();
  }

  /** Whether LMDB refuses reads too; asked after a commit that failed. */
  #isLost(): boolean {
    try {
      this.#root.resetReadTxn();
      this.#table('meta').doesExist(NO_KEY);
      return false;
    } catch {
      return true;
    }
  }

  /** Less room than the batches would need. */
  #isDiskFull(batches: readonly PackedWrites[]): boolean {
    return roomIn(this.#folder) <= sizeOf(batches);
  }

  #table(table: Table): BinaryTable {
    this.#mustBeOpen();
    return this.#tables.get(table) as BinaryTable;
  }

  #mustBeOpen(): void {
    if (this.#closed) throw new CodedError('internal', 'the store is closed');
  }
}

function sizeOf(batches: readonly PackedWrites[]): number {
  return batches.reduce((sum, batch) => sum + batch.byteLength, 0);
}

const NO_BYTES = Buffer.alloc(0);
const NO_KEY = Buffer.from([0]);

/** A row of `meta` has no decoder that would notice, and no server can work without it. */
function mustBeUsable(table: Table, key: Uint8Array, value: Uint8Array): Uint8Array {
  if (table !== 'meta' || !isDamaged(value)) return value;
  throw new CodedError(
    'internal',
    `the database’s record ${keyText(key)} of table meta is damaged: its checksum does not fit; stop the server and restore a backup with cairn restore`,
  );
}

function* withoutValues(keys: Iterable<Buffer>): Generator<Entry> {
  for (const key of keys) yield { key, value: NO_BYTES };
}
