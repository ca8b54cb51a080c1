/**
 * Calls that this server passes on to the leader. None is repeated: one that was sent and not answered may have been taken,
 * and its failure says so.
 */
import http from 'node:http';
import { CodedError } from '../../base/errors.ts';
import { LeaderAgent, type LeaderPlace } from './leader-agent.ts';

export interface PassedCall {
  readonly method: string;
  /** With its query, as it was sent. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** Overflow policy: refuse. */
const CALLS_MAX = 8_192;
/** Until the head of the answer. The longest that the server's own calls take is 10 s of a full disk. */
const ANSWER_MS = 20_000;
const NOT_SENT = 'nothing was stored; try again';

export class LeaderCalls {
  #place: LeaderPlace | null = null;
  #agent: LeaderAgent | null = null;
  #inFlight = 0;

  /** Null where there is none that can be reached. Calls to the one before go on to their ends. */
  turnTo(place: LeaderPlace | null): void {
    if (place?.url === this.#place?.url && place?.fingerprint === this.#place?.fingerprint) return;
    const before = this.#agent;
    this.#place = place;
    this.#agent = place && mayBeAsked(place) ? new LeaderAgent(place) : null;
    if (before) closeWhenIdle(before);
  }

  /**
   * Resolves with the head of the answer; its body is still to be read. Throws `notLeader`, whose detail says whether the
   * outcome is unknown, and `overloaded`.
   */
  async send({ method, path, headers, body }: PassedCall): Promise<http.IncomingMessage> {
    const place = this.#place;
    const agent = this.#agent;
    if (!place || !agent) throw new CodedError('notLeader', `no leader can be reached now; ${NOT_SENT}`);
    if (this.#inFlight >= CALLS_MAX) throw new CodedError('overloaded', `${CALLS_MAX} calls wait for the leader`);
    this.#inFlight++;
    try {
      return await new Promise((resolve, reject) => {
        let isSent = false;
        const call = http.request({
          ...targetOf(place),
          method,
          path,
          headers: headersOf(place, headers, body),
          agent,
        });
        const timer = setTimeout(() => call.destroy(new Error(`no answer within ${ANSWER_MS / 1_000} s`)), ANSWER_MS);
        call.on('socket', () => {
          isSent = true;
        });
        call.on('response', (response) => {
          clearTimeout(timer);
          resolve(response);
        });
        call.on('error', ({ message }) => {
          clearTimeout(timer);
          reject(failureOf(message, isSent, method));
        });
        call.end(body ?? undefined);
      });
    } finally {
      this.#inFlight--;
    }
  }

  close(): void {
    this.#agent?.destroy();
    this.#agent = null;
    this.#place = null;
  }
}

/** Over TLS only with a certificate to compare with. */
function mayBeAsked({ url, fingerprint }: LeaderPlace): boolean {
  return url.startsWith('http:') || fingerprint !== null;
}

function targetOf({ url }: LeaderPlace): http.RequestOptions {
  const { hostname, port } = new URL(url);
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port };
}

function headersOf(
  { url }: LeaderPlace,
  headers: PassedCall['headers'],
  body: Uint8Array | null,
): Record<string, string> {
  const size: Record<string, string> = body ? { 'content-length': String(body.byteLength) } : {};
  return { host: new URL(url).host, ...headers, ...size };
}

function failureOf(message: string, isSent: boolean, method: string): CodedError {
  if (!isSent || method === 'GET' || method === 'HEAD')
    return new CodedError('notLeader', `the leader cannot be reached (${message}); ${NOT_SENT}`);
  return new CodedError(
    'notLeader',
    `the leader did not answer (${message}), so the outcome is unknown: it may have taken the call; check, or repeat it`,
  );
}

/** Kept connections that nobody uses end at once, the others with their answers. */
function closeWhenIdle(agent: LeaderAgent): void {
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  agent.on('free', (socket) => socket.destroy());
}
