/** Records of the audit log as a file. Pure. */
import { csvRow } from '../../../../../src/protocol/lists/csv.ts';
import type { AuditRecord } from '../../../api/audit.ts';

/** Named and written as the API has them. */
const COLUMNS = ['seq', 'time', 'who', 'from', 'action', 'target', 'detail'] as const;

export function auditCsv(records: readonly AuditRecord[]): string {
  return [COLUMNS, ...records.map((record) => COLUMNS.map((name) => record[name]))].map(csvRow).join('');
}
