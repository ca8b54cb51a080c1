/** The range of time that figures are for; its name stands in the address of the page. Pure. */
/** `ms`: the length of a range that ends now; the last month is the calendar's. */
export const RANGES = {
  '1h': { label: 'the last hour', ms: 3_600_000 },
  '6h': { label: 'the last 6 hours', ms: 21_600_000 },
  '24h': { label: 'the last 24 hours', ms: 86_400_000 },
  '7d': { label: 'the last 7 days', ms: 604_800_000 },
  '30d': { label: 'the last 30 days', ms: 2_592_000_000 },
  month: { label: 'last month', ms: undefined },
  '1y': { label: 'the last year', ms: 31_536_000_000 },
} as const;
export type RangeName = keyof typeof RANGES;

export interface Bounds {
  /** Milliseconds since 1970. */
  readonly startMs: number;
  readonly endMs: number;
}

const MINUTE_MS = 60_000;

export function isRangeName(value: unknown): value is RangeName {
  return typeof value === 'string' && Object.hasOwn(RANGES, value);
}

/** On whole minutes: the same for a minute, so that answers are shared. */
export function boundsOf(range: RangeName, nowMs: number): Bounds {
  const { ms } = RANGES[range];
  const minuteMs = Math.floor(nowMs / MINUTE_MS) * MINUTE_MS;
  if (ms !== undefined) return { startMs: minuteMs - ms, endMs: minuteMs + MINUTE_MS };
  const now = new Date(nowMs);
  return {
    startMs: new Date(now.getFullYear(), now.getMonth() - 1, 1).getTime(),
    endMs: new Date(now.getFullYear(), now.getMonth(), 1).getTime(),
  };
}

/** As much time just before; the month before that one. */
export function boundsBefore(range: RangeName, nowMs: number): Bounds {
  const { startMs } = boundsOf(range, nowMs);
  const { ms } = RANGES[range];
  if (ms !== undefined) return { startMs: startMs - ms, endMs: startMs };
  const month = new Date(startMs);
  return { startMs: new Date(month.getFullYear(), month.getMonth() - 1, 1).getTime(), endMs: startMs };
}
