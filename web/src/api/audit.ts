/** The audit log, a page at a time. */
import { infiniteQueryOptions } from '@tanstack/react-query';
import { askJson, withQuery } from './request.ts';

export interface AuditRecord {
  readonly seq: number;
  readonly time: string;
  readonly who: string;
  /** Address of the caller. */
  readonly from: string;
  readonly action: string;
  readonly target: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Rows of a page, which is read at once. */
const AUDIT_ROWS = 100;

export const auditQuery = infiniteQueryOptions({
  queryKey: ['config', 'audit'],
  queryFn: ({ pageParam, signal }) =>
    askJson<AuditRecord[]>(withQuery('/api/v1/audit', { limit: AUDIT_ROWS, before: pageParam }), { signal }),
  initialPageParam: undefined as number | undefined,
  getNextPageParam: (last) => (last.length < AUDIT_ROWS ? null : last.at(-1)?.seq),
});
