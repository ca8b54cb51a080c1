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

/** Rows of the first page, which is read at once, and of those that follow: who asks for them looks for something. */
const FIRST_ROWS = 100;
const NEXT_ROWS = 500;
const rowsFrom = (before: number | undefined): number => (before === undefined ? FIRST_ROWS : NEXT_ROWS);

const SOON_MS = 5_000;

export const auditQuery = infiniteQueryOptions({
  queryKey: ['config', 'audit'],
  queryFn: ({ pageParam, signal }) => auditPage(rowsFrom(pageParam), pageParam, signal),
  initialPageParam: undefined as number | undefined,
  // No event tells of orders and replays. Of many pages each is asked for.
  refetchInterval: ({ state: { data } }) => ((data?.pages.length ?? 0) > 2 ? 10 * SOON_MS : SOON_MS),
  getNextPageParam: (last, _, before) => (last.length < rowsFrom(before) ? null : last.at(-1)?.seq),
});

function auditPage(limit: number, before: number | undefined, signal?: AbortSignal): Promise<AuditRecord[]> {
  return askJson<AuditRecord[]>(withQuery('/api/v1/audit', { limit, before }), signal ? { signal } : {});
}

/** The most that one answer has; the server keeps ten times as many. */
const ROWS_MAX = 1_000;

/** All that the server keeps, back to a time, the newest first. */
export async function wholeAudit(fromMs: number): Promise<readonly AuditRecord[]> {
  const all: AuditRecord[] = [];
  for (;;) {
    const page = await auditPage(ROWS_MAX, all.at(-1)?.seq);
    all.push(...page);
    if (page.length < ROWS_MAX || Date.parse(page.at(-1)?.time ?? '') < fromMs) return all;
  }
}
