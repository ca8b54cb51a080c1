/** `cairn audit verify`: whether the audit log of a data folder is whole. Reads only; the server may run meanwhile. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLmdbReader } from '../store/kv/lmdb-store.ts';
import { verifyAudit } from '../store/records/audit-record.ts';

const HELP = `cairn audit verify --data-dir DIR

Checks the chain of the audit log of the server whose data folder this is, running or not. Prints the last record's number
and hash, and exits with 0 where the log is whole, with 1 where a record was changed, removed or put in between.
Compare the hash with the one that the server log tells (or a copy of it elsewhere): who can write the whole database
could write a whole new chain.
`;

export async function auditCommand(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { 'data-dir': { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help || positionals[0] !== 'verify') {
    process.stdout.write(HELP);
    return values.help ? 0 : 2;
  }
  const dataFolder = values['data-dir'] ?? process.env['CAIRN_DATA_DIR'] ?? '/var/lib/cairn';
  const reader = openLmdbReader(join(dataFolder, 'db'));
  try {
    const verdict = verifyAudit(reader);
    process.stdout.write(
      verdict.ok
        ? `the audit log is whole: ${verdict.records} records, the last is ${verdict.head.seq} with hash ${verdict.head.hash || '(none)'}\n`
        : `the audit log is not whole: record ${verdict.seq}: ${verdict.reason}\n`,
    );
    return verdict.ok ? 0 : 1;
  } finally {
    await reader.close();
  }
}
