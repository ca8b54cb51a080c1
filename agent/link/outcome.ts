/** What an answer of the server means to the sender: a closed set of cases, made in one place from status and body. Pure. */

export type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly retryAfterMs: number | null;
      /** Undefined where the body is not JSON. */
      readonly json: unknown;
    }
  | { readonly kind: 'unreachable'; readonly reason: string };

export type Outcome =
  /** Taken, and durable. */
  | { readonly type: 'accepted'; readonly json: unknown }
  /** The server does not know this node, or the node was deregistered. */
  | { readonly type: 'unregistered' }
  /** The log is `size` bytes long at the server. */
  | { readonly type: 'conflict'; readonly size: number }
  /** The token is missing, over, or another node's. */
  | { readonly type: 'denied'; readonly reason: string }
  /** This very request will never be taken. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The server is away, or has too much to do. */
  | { readonly type: 'later'; readonly reason: string; readonly retryAfterMs: number | null };

const NOT_FOUND_CODE = 1004;

export function outcomeOf(reply: Reply): Outcome {
  if (reply.kind === 'unreachable') return { type: 'later', reason: reply.reason, retryAfterMs: null };
  const { status, json, retryAfterMs } = reply;
  if (status >= 200 && status < 300) return { type: 'accepted', json };
  const reason = reasonOf(status, json);
  switch (status) {
    case 404:
      // Without the server's own code it is not the server: a proxy, or another program on that port.
      return numberIn(json, 'errorCode') === NOT_FOUND_CODE
        ? { type: 'unregistered' }
        : { type: 'later', reason: `${reason}; is this a Cairn server?`, retryAfterMs };
    case 409: {
      const size = numberIn(objectIn(json, 'fields'), 'size');
      return size === undefined || !Number.isSafeInteger(size) || size < 0
        ? { type: 'refused', reason }
        : { type: 'conflict', size };
    }
    case 401:
    case 403:
      return { type: 'denied', reason };
    case 400:
    case 413:
    case 415:
    case 422:
      return { type: 'refused', reason };
    default:
      return { type: 'later', reason, retryAfterMs };
  }
}

/** `Retry-After` in seconds; the form with a date is not used by the server and is ignored. */
export function retryAfterMsOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header.trim()) ? Number(header) * 1_000 : null;
}

function reasonOf(status: number, json: unknown): string {
  const message = objectIn({ json }, 'json')?.['message'];
  const fields = objectIn(json, 'fields');
  return [
    `HTTP ${status}`,
    ...(typeof message === 'string' ? [message] : []),
    ...(fields ? [JSON.stringify(fields)] : []),
  ].join(': ');
}

function objectIn(value: unknown, name: string): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const inner = (value as Record<string, unknown>)[name];
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : undefined;
}

function numberIn(value: unknown, name: string): number | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const inner = (value as Record<string, unknown>)[name];
  return typeof inner === 'number' ? inner : undefined;
}
