/** The time that the audit log is shown of. The server has no such filter: what was read is looked through, and older records are read. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { AuditRecord } from '../../../api/audit.ts';
import { timeZone, usePreference } from '../../../preferences/preferences.ts';
import { boundsOf, isWithin, maybeRangeOf, type Range, searchOf } from '../../../range/range.ts';

/** Records that are read by themselves for a range; the reader asks for more. */
const READ_MAX = 1_000;

export interface AuditPages {
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly isFetchNextPageError: boolean;
  readonly fetchNextPage: () => unknown;
}

interface AuditRange {
  /** Undefined for any time. */
  readonly range: Range | undefined;
  readonly setRange: (range: Range | undefined) => void;
  readonly inRange: readonly AuditRecord[];
  /** Whether there may be older records in the range that were not read. */
  readonly hasMore: boolean;
}

/** `records`: what was read, the newest first. */
export function useAuditRange(records: readonly AuditRecord[], pages: AuditPages): AuditRange {
  const { hasNextPage, isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  const range = maybeRangeOf(useSearch({ from: '/settings' }));
  const navigate = useNavigate({ from: '/settings' });
  const zone = usePreference(timeZone);
  const nowMs = Date.now();
  const oldestMs = Date.parse(records.at(-1)?.time ?? '');
  const hasMore = hasNextPage && !(range && oldestMs < boundsOf(range, nowMs, zone).startMs);
  const isReading = range !== undefined && hasMore && records.length < READ_MAX;
  const canRead = isReading && !isFetchingNextPage && !isFetchNextPageError;
  useEffect(() => {
    if (canRead) void fetchNextPage();
  }, [canRead, fetchNextPage]);
  return {
    range,
    setRange: (next) =>
      void navigate({
        search: (before) =>
          ({
            ...before,
            ...(next === undefined ? { range: undefined, start: undefined, end: undefined } : searchOf(next)),
          }) as typeof before,
      }),
    inRange: range ? records.filter(({ time }) => isWithin(range, Date.parse(time), nowMs, zone)) : records,
    hasMore,
  };
}
