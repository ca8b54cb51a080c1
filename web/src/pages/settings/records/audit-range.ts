/** What the audit log is shown of. The server has no such filter: what was read is looked through, and older records are read. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { type AuditRecord, wholeAudit } from '../../../api/audit.ts';
import { timeZone, usePreference } from '../../../preferences/preferences.ts';
import { boundsOf, isWithin, maybeRangeOf, type Range, searchOf } from '../../../range/range.ts';

/** Records that are found by themselves; the reader asks for more. */
const FOUND_MAX = 1_000;

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
  readonly isInRange: (record: AuditRecord) => boolean;
  /** All records of the range that the server keeps. */
  readonly readAll: () => Promise<readonly AuditRecord[]>;
  /** Whether there may be older records in the range that were not read. */
  readonly hasMore: boolean;
}

/** `records`: what was read, the newest first. */
export function useAuditRange(records: readonly AuditRecord[], hasNextPage: boolean): AuditRange {
  const range = maybeRangeOf(useSearch({ from: '/settings' }));
  const navigate = useNavigate({ from: '/settings' });
  const zone = usePreference(timeZone);
  const nowMs = Date.now();
  const startMs = range ? boundsOf(range, nowMs, zone).startMs : Number.NEGATIVE_INFINITY;
  const oldestMs = Date.parse(records.at(-1)?.time ?? '');
  const isInRange = ({ time }: AuditRecord): boolean => !range || isWithin(range, Date.parse(time), nowMs, zone);
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
    isInRange,
    readAll: async () => (await wholeAudit(startMs)).filter(isInRange),
    hasMore: hasNextPage && !(oldestMs < startMs),
  };
}

/** Reads older records while something is looked for; says whether it does. `found`: how many were found so far. */
export function useReadOn(isLookedFor: boolean, found: number, pages: AuditPages): boolean {
  const { isFetchingNextPage, isFetchNextPageError, fetchNextPage } = pages;
  const isReading = isLookedFor && found < FOUND_MAX && !isFetchNextPageError;
  const canRead = isReading && !isFetchingNextPage;
  useEffect(() => {
    if (canRead) void fetchNextPage();
  }, [canRead, fetchNextPage]);
  return isReading;
}
