/**
 * Keeps LMDB's transactions in their order. Every process that opens a database writes the number that it read as the newest
 * transaction's over the one in the shared lock file (OpenLDAP's ITS#9496; the LMDB within lmdb-js 3.5 has it). What was committed
 * between its reading and its writing would be overwritten by the next transaction. So the one writer looks at the number of each
 * transaction before it writes anything in it: see docs/decisions/0186-lost-commits.md.
 */
import { openSync, readSync, writeSync } from 'node:fs';
import { CodedError } from '../../base/errors.ts';

/** What it needs of a database of lmdb-js. */
export interface NumberedTransactions {
  /** Rolled back where the body returns `ABORT`. */
  transactionSync(body: () => unknown): unknown;
  /** Within the body. */
  getWriteTxnId(): number;
  /** Among others, the number of the last transaction on disk. */
  getStats(): object;
}

/** Each time another process would have to open the database in the same millisecond. */
const TRIES_MAX = 20;
/** The lock file begins with this number and a version of 4 bytes each; then comes the number of the newest transaction. */
const MAGIC = 0xbe_ef_c0_de;
const MAGIC_WORDS = new Uint32Array(1);
const NUMBER_AT = 8;
const NUMBER = new BigUint64Array(1);

export class TransactionOrder {
  readonly #root: NumberedTransactions;
  readonly #abort: object;
  readonly #lockPath: string;
  /** What the next transaction must be; undefined before the first. */
  #next: number | undefined;
  /** Never closed: that would end every lock that this process has on the file. */
  #lockFile: number | undefined;

  constructor(root: NumberedTransactions, abort: object, lockPath: string) {
    this.#root = root;
    this.#abort = abort;
    this.#lockPath = lockPath;
  }

  /** One transaction; `body` runs once, and only in one that follows the last. */
  transact(body: () => void): void {
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      if (this.#tryTransaction(body)) return;
      this.#putRight();
    }
    throw new CodedError('internal', 'other processes open the database all the time; try again');
  }

  #tryTransaction(body: () => void): boolean {
    this.#next ??= this.#lastOnDisk() + 1;
    let number = 0;
    const result = this.#root.transactionSync(() => {
      number = this.#root.getWriteTxnId();
      if (number !== this.#next) return this.#abort;
      body();
      return undefined;
    });
    if (result === this.#abort) return false;
    this.#next = number + 1;
    return true;
  }

  /** A transaction that wrote nothing has used up no number: then nothing is wrong but what was expected. */
  #putRight(): void {
    const last = this.#lastOnDisk();
    this.#next = last + 1;
    this.#lockFile ??= openSync(this.#lockPath, 'r+');
    readSync(this.#lockFile, MAGIC_WORDS, 0, 4, 0);
    if (MAGIC_WORDS[0] !== MAGIC)
      throw new CodedError('internal', `${this.#lockPath} has an unknown form: restart the server`);
    readSync(this.#lockFile, NUMBER, 0, 8, NUMBER_AT);
    if (NUMBER[0] === BigInt(last)) return;
    NUMBER[0] = BigInt(last);
    writeSync(this.#lockFile, NUMBER, 0, 8, NUMBER_AT);
  }

  #lastOnDisk(): number {
    return (this.#root.getStats() as { readonly lastTxnId: number }).lastTxnId;
  }
}
