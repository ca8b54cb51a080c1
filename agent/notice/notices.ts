/** What the clouds' metadata services say about a machine that is about to be taken away, read into one form. Pure. */
export interface Notice {
  /** `terminate`, `stop` or `hibernate`, as the cloud names it; Google and Azure only know `preempt`. */
  readonly action: string;
  /** Wall clock: when the machine may be gone. */
  readonly timeMs: number;
}

/** What one look at a metadata service has brought. */
export type Look =
  | { readonly kind: 'notice'; readonly notice: Notice }
  /** The machine may be taken away soon, and nothing is certain. */
  | { readonly kind: 'rebalance'; readonly id: string }
  | { readonly kind: 'nothing' }
  /** There is no such service, or it does not answer now. */
  | { readonly kind: 'silence' };

export interface Answer {
  readonly status: number;
  readonly text: string;
}

const OK = 200;
const NOT_FOUND = 404;

/** Google gives 30 seconds, and does not say when they began. */
export const GOOGLE_NOTICE_MS = 30_000;

export function awsLook(action: Answer | null, rebalance: Answer | null): Look {
  // Too many calls, or a token that is over: that says nothing of the notice.
  if (action?.status !== OK && action?.status !== NOT_FOUND) return { kind: 'silence' };
  const json = action.status === OK ? objectOf(action.text) : {};
  const timeMs = Date.parse(textOf(json['time']));
  if (typeof json['action'] === 'string' && !Number.isNaN(timeMs)) {
    return { kind: 'notice', notice: { action: json['action'], timeMs } };
  }
  const recommended = rebalance?.status === OK ? textOf(objectOf(rebalance.text)['noticeTime']) : '';
  return recommended === '' ? { kind: 'nothing' } : { kind: 'rebalance', id: recommended };
}

/** `firstSeenMs`: when this notice was seen for the first time; null where it is new. */
export function googleLook(answer: Answer | null, firstSeenMs: number | null, nowMs: number): Look {
  if (answer?.status !== OK) return { kind: 'silence' };
  if (answer.text.trim().toUpperCase() !== 'TRUE') return { kind: 'nothing' };
  return { kind: 'notice', notice: { action: 'preempt', timeMs: (firstSeenMs ?? nowMs) + GOOGLE_NOTICE_MS } };
}

export function azureLook(answer: Answer | null, nowMs: number): Look {
  if (answer?.status !== OK) return { kind: 'silence' };
  const events = objectOf(answer.text)['Events'];
  for (const event of Array.isArray(events) ? events : []) {
    const { EventType: type, NotBefore: notBefore } = (event ?? {}) as { EventType?: unknown; NotBefore?: unknown };
    if (type !== 'Preempt' && type !== 'Terminate') continue;
    // Without a time the event has begun.
    const timeMs = Date.parse(textOf(notBefore));
    return { kind: 'notice', notice: { action: type.toLowerCase(), timeMs: Number.isNaN(timeMs) ? nowMs : timeMs } };
  }
  return { kind: 'nothing' };
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
