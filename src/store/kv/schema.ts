/**
 * The schema number of a database folder and the migrations between numbers. The last writes of a migration are in one
 * transaction with the new number, so that a crash leaves the old schema or the new one. What is too much for that comes before
 * it, in transactions of their own: it adds what a server of before does not look at, and may be started over.
 */
import { CodedError } from '../../base/errors.ts';
import { textKey } from './keys.ts';
import type { Reader, Store } from './store.ts';
import { WriteBatch } from './write-batch.ts';

/**
 * 2: series by window and slice (decision 0020). Nothing was released with 1.
 * 3: events of long jobs in rows of their own (decision 0073).
 * 4: jobs by queue and status (decision 0074).
 * 5: checksums of records (decision 0167).
 * 6: jobs by queue and by outcome in the orders of name, nodeOid and id (decision 0109).
 */
export const SCHEMA_NUMBER = 6;

export interface Migration {
  readonly from: number;
  /** Writes that come first, a batch a transaction. The reader sees a batch when the next one is asked for. */
  readonly before?: (reader: Reader) => Iterable<WriteBatch>;
  /** Adds the writes that lead from `from` to `from + 1`. */
  readonly migrate: (reader: Reader, batch: WriteBatch) => void;
}

const SCHEMA_KEY = textKey('schema');

/** The schema number that is stored; undefined in a new folder. Throws where it cannot be read. */
export function schemaNumberOf(reader: Pick<Reader, 'get'>): number | undefined {
  const stored = reader.get('meta', SCHEMA_KEY);
  const found = stored === undefined ? undefined : Number(Buffer.from(stored).toString());
  if (found !== undefined && !(Number.isInteger(found) && found >= 1)) {
    throw new CodedError('internal', 'the database has no readable schema number; is this folder Cairn’s?');
  }
  return found;
}

/** Brings the folder to `target`; throws where it was written by a newer server. Returns the number it had. */
export function migrate(store: Store, migrations: readonly Migration[], target = SCHEMA_NUMBER): number | undefined {
  const found = schemaNumberOf(store);
  if (found !== undefined && found > target) {
    throw new CodedError(
      'internal',
      `the database has schema ${found}, this version supports up to ${target}: start a newer version`,
    );
  }
  for (let number = found ?? target; number < target; number++) {
    const migration = migrations.find(({ from }) => from === number);
    if (!migration) throw new CodedError('internal', `no migration leads from schema ${number}`);
    for (const batch of migration.before?.(store) ?? []) {
      store.commit([batch.seal()]);
      store.refresh();
    }
    const batch = new WriteBatch();
    migration.migrate(store, batch);
    commitNumber(store, batch, number + 1);
    store.refresh();
  }
  if (found === undefined) commitNumber(store, new WriteBatch(), target);
  return found;
}

function commitNumber(store: Store, batch: WriteBatch, number: number): void {
  batch.put('meta', SCHEMA_KEY, textKey(String(number)));
  store.commit([batch.seal()]);
}
