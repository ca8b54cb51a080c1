/** `cairn audit verify`: whether the audit log of a data folder is whole. Reads only; the server may run meanwhile. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openLmdbReader } from '../store/kv/lmdb-store.ts';
import { verifyAudit } from '../store/records/audit-record.ts';

const HELP = `cairn audit verify --data-dir DIR

Verifies the audit log's hash chain of the server that uses this data folder, whether or not it is running. Prints the
number and hash of the last record. Exits with 0 if the log is intact, else with 1.
Compare the hash with the one in the server log, or in a copy of it elsewhere: anyone who can write the whole database
can also write a whole new chain.
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
        ? `the audit log is intact: ${verdict.records} records, the last is ${verdict.head.seq} with hash ${verdict.head.hash || '(none)'}\n`
        : `the audit log is not intact: record ${verdict.seq}: ${verdict.reason}\n`,
    );
    return verdict.ok ? 0 : 1;
  } finally {
    await reader.close();
  }
}
