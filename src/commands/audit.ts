/** `cairn audit verify`: whether the audit log of a data folder is whole. Reads only; the server may run meanwhile. */
import type { CommandInput } from '../base/command-input.ts';
import { LiveView } from '../store/files/live-view.ts';
import { openLmdbReader } from '../store/kv/lmdb-store.ts';
import { verifyAudit } from '../store/records/audit-record.ts';
import { dataFolderOf } from './data-folder.ts';

export async function auditCommand({ values }: CommandInput): Promise<number> {
  const view = await LiveView.open(dataFolderOf(values));
  try {
    const verdict = await verdictOf(view.folder);
    await view.mustHold();
    process.stdout.write(
      verdict.ok
        ? `the audit log is intact: ${verdict.records} records, the last is ${verdict.head.seq} with hash ${verdict.head.hash || '(none)'}\n`
        : `the audit log is not intact: record ${verdict.seq}: ${verdict.reason}\n`,
    );
    return verdict.ok ? 0 : 1;
  } finally {
    await view.close();
  }
}

async function verdictOf(folder: string): Promise<ReturnType<typeof verifyAudit>> {
  const reader = openLmdbReader(folder);
  try {
    return verifyAudit(reader);
  } finally {
    await reader.close();
  }
}
