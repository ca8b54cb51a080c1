/** The migrations that there are. Each version's folder is taken over by the next one as it stands. */
import type { Migration } from '../kv/schema.ts';
import { endSchema1, rowsBesideSchema1 } from './from-schema-1.ts';
import { IN_EVERY_ORDER, indexRows, QUEUE_AND_STATUS } from './index-rows.ts';
import { queueNodeRows } from './queue-node-rows.ts';

export const MIGRATIONS: readonly Migration[] = [
  { from: 1, before: rowsBesideSchema1, migrate: endSchema1 },
  // Records of long jobs are read in either form, and take the new one with their next update. The number keeps servers away
  // that know the old form only.
  { from: 2, migrate: () => {} },
  {
    from: 3,
    *before(reader) {
      yield* indexRows(reader, QUEUE_AND_STATUS);
      yield* queueNodeRows(reader);
    },
    migrate: () => {},
  },
  // Records without a checksum are read as ever, and get one when they are written again.
  { from: 4, migrate: () => {} },
  { from: 5, before: (reader) => indexRows(reader, IN_EVERY_ORDER), migrate: () => {} },
];
