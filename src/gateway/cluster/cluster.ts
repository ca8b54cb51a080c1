/**
 * A thread's part in a cluster of servers (contract section 15): which calls it answers from its own database, and which it
 * passes on to the leader. A thread of the leader has one too, for the calls that come from the others.
 */
import type http from 'node:http';
import { Packr } from 'msgpackr';
import type { ClusterState, SharedState } from '../../actors/shard/wire/shared-state.ts';
import { CodedError, type Failure, failureOf } from '../../base/errors.ts';
import type { HeartbeatBatchReply } from '../../protocol/heartbeat.ts';
import type { HttpExchange, KeptHeader } from '../http/exchange.ts';
import type { Headers } from '../http/headers.ts';
import type { Route } from '../http/route.ts';
import { FORWARDED_HEADER, readForwarded, signForwarded } from './forwarded.ts';
import { LeaderCalls } from './leader-calls.ts';
import { failureIn, headersOf, textOf, wholeOrStream } from './passed-answer.ts';

export interface ClusterHost {
  readonly state: SharedState;
  /** Milliseconds by which this server's database is behind the leader's. */
  behindMs(): number;
  /** Resolves when everything that was acknowledged anywhere before is applied here; rejects with `notLeader`. */
  barrier(): Promise<void>;
}

/** Who sent heartbeats over a WebSocket. */
export interface BeatCaller {
  readonly authorization: string;
  readonly remote: string;
  readonly isCertified: boolean;
}

/**
 * Questions about what only the leader's actors know: open buckets, deliveries to come. Where it cannot be reached they are
 * answered from the database.
 */
const LEADERS_QUESTIONS: ReadonlySet<string> = new Set(['getSeries', 'getSummary', 'listWebhooks', 'getWebhook']);
/** What the leader reads of a call, and what the caller's answer depends on. */
const PASSED_HEADERS: readonly KeptHeader[] = [
  'accept',
  'authorization',
  'content-encoding',
  'content-type',
  'if-none-match',
  'if-range',
  'range',
  'user-agent',
];
const CATCH_UP_MS = 100;
const BATCH_PATH = '/api/v1/heartbeat';

const packr = new Packr({ useRecords: false });

export class Cluster {
  readonly #host: ClusterHost;
  readonly #calls = new LeaderCalls();
  #state: ClusterState;
  #key: string;
  #catchingUp: Promise<void> | null = null;

  constructor(host: ClusterHost) {
    this.#host = host;
    this.#state = stateIn(host.state);
    this.#key = host.state.identity.positionKey;
    this.update(host.state);
  }

  /** This server does not lead: it has no actors. */
  get follows(): boolean {
    return this.#state.role !== 'leader';
  }

  update(shared: SharedState): void {
    const state = stateIn(shared);
    this.#state = state;
    this.#key = shared.identity.positionKey;
    this.#calls.turnTo(this.follows && !state.isCutOff ? state.leader : null);
  }

  /** A call that another server passes on comes from its caller, not from that server. */
  take(exchange: HttpExchange, header: string): void {
    const claim = header === '' ? undefined : readForwarded(header, this.#key);
    if (!claim) return;
    exchange.passedFor = claim.from;
    exchange.isCertified = claim.isCertified;
  }

  /** Resolves when everything that was acknowledged anywhere before is applied here; rejects with `notLeader`. */
  async barrier(): Promise<void> {
    // Nothing comes of it: the caller hears so at once, and may ask another server.
    if (this.#state.isCutOff) throw new CodedError('notLeader', 'this server is cut off from the others');
    await this.#host.barrier();
  }

  /**
   * As `barrier`, one for all who ask within CATCH_UP_MS: strangers may ask for it, and each barrier is a message of the stream.
   * Resolves where there is no leader, too.
   */
  catchUp(): Promise<void> {
    this.#catchingUp ??= new Promise<void>((resolve) => setTimeout(resolve, CATCH_UP_MS)).then(() => {
      this.#catchingUp = null;
      return this.#state.isCutOff ? undefined : this.#host.barrier().catch(() => {});
    });
    return this.#catchingUp;
  }

  /** Of an answer from the own database. */
  ownHeaders(): Headers {
    return [['x-cairn-behind-ms', String(this.#host.behindMs())]];
  }

  /** The leader has to answer, or to be asked first. */
  passes(route: Route, exchange: HttpExchange): boolean {
    if (!this.follows) return false;
    return route.method !== 'GET' || (exchange.passedFor === null && this.#asksLeader(route, exchange));
  }

  /** False where the call is to be answered here. Throws `notLeader`, which may say that the outcome is unknown. */
  async pass(exchange: HttpExchange, route: Route, body: Uint8Array | null): Promise<boolean> {
    const isQuestion = route.method === 'GET';
    try {
      this.#mustNotReturn(exchange);
      const { remote: from, isCertified } = exchange;
      const headers: Record<string, string> = { [FORWARDED_HEADER]: signForwarded({ from, isCertified }, this.#key) };
      for (const name of PASSED_HEADERS) if (exchange.headers[name] !== '') headers[name] = exchange.headers[name];
      const path = exchange.rawQuery === '' ? exchange.path : `${exchange.path}?${exchange.rawQuery}`;
      const answer = await this.#calls.send({ method: route.method, path, headers, body });
      if (isQuestion && answer.statusCode === 503) {
        answer.resume();
        return false;
      }
      await answerWith(exchange, answer);
      return true;
    } catch (error) {
      if (isQuestion && !exchange.isOver && error instanceof CodedError && error.name === 'notLeader') return false;
      throw error;
    }
  }

  /** Beats of one frame. `done` is called once. */
  passBeats(
    beats: unknown,
    { authorization, remote: from, isCertified }: BeatCaller,
    done: (failure: Failure | null, reply: HeartbeatBatchReply | null) => void,
  ): void {
    const headers: Record<string, string> = {
      [FORWARDED_HEADER]: signForwarded({ from, isCertified }, this.#key),
      'content-type': 'application/msgpack',
      ...(authorization === '' ? {} : { authorization }),
    };
    this.#batch(packr.pack(beats), headers).then(
      ({ failure, reply }) => done(failure, reply),
      (error: unknown) => done(error instanceof CodedError ? failureOf(error) : { name: 'internal' }, null),
    );
  }

  close(): void {
    this.#calls.close();
  }

  async #batch(
    body: Uint8Array,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly failure: Failure | null; readonly reply: HeartbeatBatchReply | null }> {
    const answer = await this.#calls.send({ method: 'POST', path: BATCH_PATH, headers, body });
    const text = await textOf(answer);
    if (answer.statusCode === 200) return { failure: null, reply: JSON.parse(text) as HeartbeatBatchReply };
    return { failure: failureIn(text, answer.statusCode), reply: null };
  }

  #asksLeader(route: Route, { rawQuery }: HttpExchange): boolean {
    if (this.#state.isCutOff || !this.#state.leader) return false;
    // What is appended to a log is known where it is appended.
    return (
      LEADERS_QUESTIONS.has(route.name) || (route.name === 'getNodeFile' && /(^|&)follow=true(&|$)/.test(rawQuery))
    );
  }

  /** Two servers that take each other for the leader must not send a call to and fro. */
  #mustNotReturn({ passedFor }: HttpExchange): void {
    if (passedFor !== null)
      throw new CodedError(
        'notLeader',
        'the call was passed on to this server, which does not lead; nothing was stored',
      );
  }
}

async function answerWith(exchange: HttpExchange, answer: http.IncomingMessage): Promise<void> {
  const status = answer.statusCode ?? 500;
  const contentType = answer.headers['content-type'] ?? '';
  const { body, size, chunks } = await wholeOrStream(answer);
  const headers = headersOf(answer);
  if (chunks) await exchange.stream(status, contentType, chunks, headers, size === undefined ? {} : { size });
  else exchange.send(status, contentType, body, headers);
}

function stateIn({ cluster }: SharedState): ClusterState {
  if (!cluster) throw new Error('a server without a cluster has no part in one');
  return cluster;
}
