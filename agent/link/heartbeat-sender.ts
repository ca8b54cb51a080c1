/**
 * Brings beats to the server: at once while it is there, through the spool while it is away, each exactly once unless a
 * connection breaks between the server's taking and its answer (then the beat is sent again rather than lost). One call
 * at a time. What to do next is decided in `link-state.ts`; this file carries it out.
 */
import { unreachable } from '../../src/base/assert.ts';
import type { Random } from '../../src/base/random.ts';
import { type BatchedBeat, heartbeatBatchReplySchema, heartbeatReplySchema } from '../../src/protocol/heartbeat.ts';
import type { NodeRegistration } from '../../src/protocol/node.ts';
import { ORDERS_DONE_MAX, type Order } from '../../src/protocol/order.ts';
import type { AgentLog } from '../base/log.ts';
import { Once } from '../base/log-once.ts';
import type { Cancel, Timers } from '../base/timers.ts';
import type { Beat, Spool } from '../spool/spool.ts';
import type { ClientRequest } from './client.ts';
import { afterOutcome, beatMsOf, type DoneStep, type Link, NEW_LINK, nextStep, withBeatMs } from './link-state.ts';
import { type Outcome, outcomeOf, type Reply } from './outcome.ts';

export interface HeartbeatSenderParts {
  readonly nodeId: string;
  /** Sends with the token of the moment. */
  readonly call: (request: Omit<ClientRequest, 'token'>) => Promise<Reply>;
  /** Sends beats in a frame over the WebSocket, whose reply is that of a batch; null where there is none to send it over. */
  readonly sendFrame: (beats: readonly BatchedBeat[], deadlineMs: number) => Promise<Reply | null>;
  readonly facts: () => NodeRegistration;
  /** The node's own token is half over: registering again brings a new one. */
  readonly wantsNewToken: () => boolean;
  readonly spool: Spool;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: AgentLog;
  readonly events: HeartbeatSenderEvents;
}

export interface HeartbeatSenderEvents {
  readonly onRegistered: (issuedToken: string | null) => void;
  readonly onBeatMs: (beatMs: number) => void;
  readonly onConfigVersion: (version: number) => void;
  /** What the server wants done; each order once. */
  readonly onOrder: (order: Order) => void;
  /** The server did not accept the token. */
  readonly onDenied: () => void;
  /** Things can be sent again. */
  readonly onUp: () => void;
}

/** A server that takes longer over a heartbeat is as good as away; the beat is safe in the spool. */
const BEAT_DEADLINE_MS = 10_000;
/** A registration waits for the server's disk, and a batch is 500 beats of work. */
const LONG_DEADLINE_MS = 20_000;

export class HeartbeatSender {
  readonly #parts: HeartbeatSenderParts;
  readonly #path: string;
  readonly #warnings = new Once();
  #link: Link = NEW_LINK;
  /** A beat that is to be sent at once; every other one is in the spool. */
  #beat: Beat | null = null;
  /** Orders that were taken; the next beat says so. The server repeats an order until then. */
  #done: readonly string[] = [];
  #isBusy = false;
  #isStopped = false;
  #cancelWait: Cancel = () => {};
  /** Reasons of this outage that were logged; null while the server is there. */
  #outage: { readonly sinceMs: number; readonly reasons: Once } | null = null;
  /** Resolved when there is nothing left to do for now. */
  #atRest: Promise<void> = Promise.resolve();

  constructor(parts: HeartbeatSenderParts) {
    this.#parts = parts;
    this.#path = `/api/v1/node/${encodeURIComponent(parts.nodeId)}`;
  }

  /** Whether the server is there and knows this node. */
  get isUp(): boolean {
    return this.#link.registered && this.#link.failures === 0;
  }

  start(): void {
    this.#kick();
  }

  offer(beat: Beat): void {
    if (this.isUp && !this.#isBusy && this.#beat === null && !this.#isStopped) this.#beat = beat;
    else this.#spool(beat);
    this.#kick();
  }

  /** A server that was away is asked now, whatever pause was left: there is no time for it. */
  tryNow(): void {
    this.#link = { ...this.#link, retryAtMs: 0 };
    this.#kick();
  }

  /** Sends what can be sent without waiting for a server that is away. Resolves when there is nothing more to try. */
  async finish(): Promise<void> {
    await this.#atRest;
    while (this.isUp && !this.#parts.spool.isEmpty && !this.#isStopped) {
      // No pauses between batches now.
      this.#link = { ...this.#link, retryAtMs: 0 };
      this.#kick();
      await this.#atRest;
    }
  }

  /** After this nothing is sent any more; a beat that was in flight is in the spool when `call` has answered. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelWait();
    await this.#atRest;
  }

  #kick(): void {
    if (this.#isBusy || this.#isStopped) return;
    this.#cancelWait();
    this.#isBusy = true;
    this.#atRest = this.#run().finally(() => {
      this.#isBusy = false;
    });
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      const { spool, timers, wantsNewToken } = this.#parts;
      const waiting = { beat: this.#beat !== null, spooled: !spool.isEmpty, newToken: wantsNewToken() };
      const step = nextStep(this.#link, waiting, timers.clock.monotonicMs());
      switch (step.type) {
        case 'idle':
          return;
        case 'wait':
          this.#cancelWait = timers.after(step.ms, () => this.#kick());
          return;
        case 'register':
          await this.#register();
          break;
        case 'beat':
          await this.#sendBeat(this.#beat as Beat);
          break;
        case 'drain':
          await this.#drain();
          break;
        default:
          return unreachable(step);
      }
    }
  }

  async #register(): Promise<void> {
    const body = JSON.stringify(this.#parts.facts());
    const outcome = await this.#call({ method: 'PUT', path: this.#path, body, deadlineMs: LONG_DEADLINE_MS });
    if (outcome.type === 'accepted') {
      // Before anything else is sent: the reply may carry the token for it.
      const token = (outcome.json as { token?: unknown } | null)?.token;
      this.#parts.events.onRegistered(typeof token === 'string' && token !== '' ? token : null);
    }
    this.#conclude('register', outcome);
    if (outcome.type === 'accepted') this.#hear(outcome.json);
  }

  async #sendBeat(beat: Beat): Promise<void> {
    const done = this.#done;
    const sent = done.length > 0 ? { ...beat, done: [...done] } : beat;
    const framed = await this.#sendFrame([{ id: this.#parts.nodeId, ...sent }], BEAT_DEADLINE_MS);
    const request = { method: 'POST', path: `${this.#path}/heartbeat`, deadlineMs: BEAT_DEADLINE_MS } as const;
    const outcome = framed ?? (await this.#call({ ...request, body: JSON.stringify(sent) }));
    this.#beat = null;
    if (outcome.type === 'accepted') this.#done = this.#done.filter((id) => !done.includes(id));
    if (outcome.type === 'refused') this.#parts.log.error(`the server rejects this heartbeat: ${outcome.reason}`);
    else if (outcome.type !== 'accepted') this.#spool(beat);
    this.#parts.log.debug(`beat ${beat.time}: ${outcome.type} over ${framed ? 'WebSocket' : 'HTTP'}`);
    this.#conclude('beat', outcome);
    if (outcome.type === 'accepted') this.#hear(outcome.json);
  }

  async #drain(): Promise<void> {
    const { spool, log } = this.#parts;
    const batch = spool.peek();
    if (batch.skipped > 0) log.warn(`${batch.skipped} spooled lines are not heartbeats of this node; they are dropped`);
    if (batch.lines.length === 0) return spool.remove(batch);
    const outcome = (await this.#sendFrame(beatsIn(batch.lines), LONG_DEADLINE_MS)) ?? (await this.#post(batch.lines));
    if (outcome.type === 'accepted' || outcome.type === 'refused') spool.remove(batch);
    if (outcome.type === 'refused') {
      log.error(`the server rejects ${batch.lines.length} spooled heartbeats; they are dropped: ${outcome.reason}`);
    }
    log.debug(`${batch.lines.length} spooled heartbeats: ${outcome.type}`);
    this.#conclude('drain', outcome);
    if (outcome.type === 'accepted') this.#hear(outcome.json);
  }

  async #sendFrame(beats: readonly BatchedBeat[], deadlineMs: number): Promise<Outcome | null> {
    const reply = await this.#parts.sendFrame(beats, deadlineMs);
    return reply && ofBatch(this.#outcome(reply));
  }

  async #post(lines: readonly string[]): Promise<Outcome> {
    const request = { method: 'POST', path: '/api/v1/heartbeat', deadlineMs: LONG_DEADLINE_MS } as const;
    return ofBatch(await this.#call({ ...request, body: `${lines.join('\n')}\n`, type: 'application/x-ndjson' }));
  }

  async #call(request: Omit<ClientRequest, 'token'>): Promise<Outcome> {
    return this.#outcome(await this.#parts.call({ type: 'application/json', ...request }));
  }

  #outcome(reply: Reply): Outcome {
    const outcome = outcomeOf(reply);
    if (outcome.type === 'denied') this.#parts.events.onDenied();
    return outcome;
  }

  /** What the reply says besides "taken". */
  #hear(json: unknown): void {
    const reply = heartbeatReplySchema.safeParse(json);
    if (!reply.success) return;
    const { nextBeatMs, configVersion, warnings, orders = [] } = reply.data;
    for (const order of orders) this.#take(order);
    for (const warning of warnings ?? []) {
      if (this.#warnings.isNew(warning)) this.#parts.log.warn(`the server says: ${warning}`);
    }
    const beatMs = beatMsOf(nextBeatMs);
    this.#link = withBeatMs(this.#link, beatMs);
    this.#parts.events.onBeatMs(beatMs);
    this.#parts.events.onConfigVersion(configVersion);
  }

  #take(order: Order): void {
    if (order.node !== this.#parts.nodeId || this.#done.includes(order.id) || this.#done.length >= ORDERS_DONE_MAX)
      return;
    this.#done = [...this.#done, order.id];
    this.#parts.events.onOrder(order);
  }

  #conclude(done: DoneStep, outcome: Outcome): void {
    const { timers, random, log, events } = this.#parts;
    const nowMs = timers.clock.monotonicMs();
    const wasUp = this.isUp;
    this.#link = afterOutcome(this.#link, done, outcome, nowMs, random);
    if (outcome.type === 'unregistered') log.warn('the server does not know this node: registering again');
    if (this.isUp) {
      if (this.#outage) {
        log.info(`the server is back after ${Math.round((nowMs - this.#outage.sinceMs) / 1_000)} s`);
      }
      this.#outage = null;
      if (!wasUp) events.onUp();
    } else if ('reason' in outcome && !this.#isStopped) {
      this.#outage ??= { sinceMs: nowMs, reasons: new Once() };
      const say = outcome.type === 'later' ? log.warn : log.error;
      if (this.#outage.reasons.isNew(outcome.reason))
        say(`cannot ${done}: ${outcome.reason}; heartbeats are kept on disk`);
    }
  }

  #spool(beat: Beat): void {
    try {
      this.#parts.spool.append(beat);
      this.#parts.log.debug(`beat ${beat.time}: on disk`);
    } catch (error) {
      const text = `cannot save a heartbeat to disk; it is lost: ${error instanceof Error ? error.message : String(error)}`;
      if (this.#warnings.isNew(text)) this.#parts.log.error(text);
    }
  }
}

/** The reply to a batch is 200 also where the node is not registered: then its id is among the unknown ones. */
function ofBatch(outcome: Outcome): Outcome {
  if (outcome.type !== 'accepted') return outcome;
  const reply = heartbeatBatchReplySchema.safeParse(outcome.json);
  if (!reply.success)
    return { type: 'later', reason: 'the answer does not come from a Cairn server', retryAfterMs: null };
  return reply.data.unknown.length > 0 ? { type: 'unregistered' } : outcome;
}

/** Lines that the spool has looked at: beats of this node. */
function beatsIn(lines: readonly string[]): BatchedBeat[] {
  return lines.map((line) => JSON.parse(line) as BatchedBeat);
}
