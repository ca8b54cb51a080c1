/**
 * The schema number of a database folder and the migrations between numbers. A migration runs in one transaction with
 * the new number, so that a crash leaves the old schema or the new one, never half of each.
 */
import { CodedError } from '../../base/errors.ts';
import { textKey } from './keys.ts';
import type { Reader, Store } from './store.ts';
import { WriteBatch } from './write-batch.ts';

/**
 * 2: series by window and slice (decision 0020). Nothing was released with 1.
 * 3: events of long jobs in rows of their own (decision 0073).
 */
export const SCHEMA_NUMBER = 3;

export interface Migration {
  readonly from: number;
  /** Adds the writes that lead from `from` to `from + 1`. */
  readonly migrate: (reader: Reader, batch: WriteBatch) => void;
}

const MIGRATIONS: readonly Migration[] = [
  // Records of long jobs are read in either form, and take the new one with their next update. The number keeps servers away
  // that know the old form only.
  { from: 2, migrate: () => {} },
];

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
export function migrate(store: Store, migrations = MIGRATIONS, target = SCHEMA_NUMBER): number | undefined {
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
