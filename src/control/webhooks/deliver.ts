/**
 * One delivery over HTTP. The address that was checked is the one that is connected to; redirects are answers like any other;
 * no proxy is used. A receiver that is slow or sends without end costs 15 s and 64 KiB.
 */
import { lookup as systemLookup } from 'node:dns/promises';
import http from 'node:http';
import https from 'node:https';
import { connect, isIP, type LookupFunction } from 'node:net';
import { faultOfDelivery } from './delivery-fault.ts';
import { faultOfHost, hostOf, isGlobalAddress } from './target-guard.ts';

const TIME_MAX_MS = 15_000;
const ANSWER_BYTES_MAX = 64 * 1024;

export interface Attempt {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Addresses of the server's own network are allowed. */
  readonly allowsPrivate: boolean;
}

export interface Outcome {
  /** Null if there was no answer. */
  readonly status: number | null;
  /** Null if it was delivered. */
  readonly error: string | null;
  /** What `Retry-After` asks for; null without it. */
  readonly retryAfterMs: number | null;
  /** There was not even a connection. */
  readonly isUnreached: boolean;
}

type Target = Pick<Attempt, 'url' | 'allowsPrivate'>;

export type Resolve = (host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

const resolveAll: Resolve = (host) => systemLookup(host, { all: true, verbatim: true });

export async function deliver(attempt: Attempt, nowMs: number, resolve: Resolve = resolveAll): Promise<Outcome> {
  const ending = AbortSignal.timeout(TIME_MAX_MS);
  const progress = { isConnected: false };
  try {
    const lookup = await pinnedLookup(attempt, resolve, ending);
    return await post(attempt, lookup, { signal: ending, nowMs, progress });
  } catch (error) {
    const reason = ending.aborted ? `no answer within ${TIME_MAX_MS / 1_000} s` : faultOfDelivery(error, attempt.url);
    return { status: null, error: reason, retryAfterMs: null, isUnreached: !progress.isConnected };
  }
}

/** Whether somebody listens there. Nothing is sent; the address is judged as for a delivery. */
export async function canConnect(target: Target, resolve: Resolve = resolveAll): Promise<boolean> {
  const signal = AbortSignal.timeout(TIME_MAX_MS);
  const { protocol, port } = new URL(target.url);
  try {
    const lookup = await pinnedLookup(target, resolve, signal);
    await new Promise<void>((done, fail) => {
      const usual = protocol === 'https:' ? 443 : 80;
      const socket = connect({ host: hostOf(target.url), port: Number(port) || usual, lookup, signal });
      socket.once('error', fail).once('connect', () => {
        socket.destroy();
        done();
      });
    });
    return true;
  } catch {
    return false;
  }
}

/** Answers with the addresses that were checked, whatever the name means a moment later. Throws a sentence if one is not allowed. */
async function pinnedLookup(
  { url, allowsPrivate }: Target,
  resolve: Resolve,
  ending: AbortSignal,
): Promise<LookupFunction> {
  const host = hostOf(url);
  if (!allowsPrivate) {
    const fault = faultOfHost(url);
    if (fault !== undefined) throw new Error(`the address ${fault}`);
  }
  const found = isIP(host) ? [{ address: host, family: isIP(host) }] : await before(ending, resolve(host));
  const bad = allowsPrivate ? undefined : found.find(({ address }) => !isGlobalAddress(address));
  if (bad)
    throw new Error(
      `${host} means ${bad.address}, which is not reachable from everywhere: turn on security.webhooks.privateTargets to allow it`,
    );
  const [first] = found;
  if (!first) throw new Error(`${host} has no address`);
  return (_host, options, callback) => {
    if (options.all) callback(null, [...found]);
    else callback(null, first.address, first.family);
  };
}

interface Sending {
  readonly signal: AbortSignal;
  readonly nowMs: number;
  readonly progress: { isConnected: boolean };
}

function post(
  { url, headers, body }: Attempt,
  lookup: LookupFunction,
  { signal, nowMs, progress }: Sending,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const client = url.startsWith('https:') ? https : http;
    const bytes = Buffer.from(body);
    const request = client.request(
      url,
      { method: 'POST', headers: { ...headers, 'content-length': bytes.byteLength }, lookup, signal, agent: false },
      (response) => {
        const status = response.statusCode ?? 0;
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.byteLength;
          if (size <= ANSWER_BYTES_MAX) return;
          reject(new Error(`its answer is longer than ${ANSWER_BYTES_MAX / 1_024} KiB`));
          response.destroy();
        });
        response.on('end', () => resolve(outcomeOf(status, response.headers, nowMs)));
        response.on('error', reject);
        response.on('aborted', () => reject(new Error('its answer broke off')));
      },
    );
    request.on('error', reject);
    request.once('socket', (socket) =>
      socket.once('connect', () => {
        progress.isConnected = true;
      }),
    );
    request.end(bytes);
  });
}

function outcomeOf(status: number, headers: http.IncomingHttpHeaders, nowMs: number): Outcome {
  if (status >= 200 && status < 300) return { status, error: null, retryAfterMs: null, isUnreached: false };
  const hint = status >= 300 && status < 400 ? ' (redirects are not followed: set the final address)' : '';
  const askedMs = retryAfterMs(headers['retry-after'], nowMs);
  return { status, error: `it answered ${status}${hint}`, retryAfterMs: askedMs, isUnreached: false };
}

/** Seconds or a date; null for anything else. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | null {
  if (header === undefined) return null;
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000;
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? null : Math.max(0, atMs - nowMs);
}

function before<T>(ending: AbortSignal, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    ending.addEventListener('abort', () => reject(new Error('timed out')), { once: true });
    promise.then(resolve, reject);
  });
}
