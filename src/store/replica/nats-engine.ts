/**
 * The engine is NATS JetStream, and this is the door to its clients, which are loaded only where they are needed. Of a cluster
 * named `east` it has the stream `CAIRN_east`, the bucket `CAIRN_east` and, for snapshots, the object store `CAIRN_east`.
 */
import { readFile } from 'node:fs/promises';
import type { ConsumerMessages, JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { type Engine, EngineError, type Following, type LeaseEntry, type StreamBounds } from './engine.ts';
import { NatsSnapshots, type Snapshots } from './nats-snapshots.ts';

/** Of one question to the engine. It may elect a leader of its own meanwhile, which takes longer: questions are repeated. */
const ANSWER_MS = 2_000;
const RECONNECT_EVERY_MS = 250;
const PING_EVERY_MS = 2_000;
/** In flight to a follower. */
const FETCH_MESSAGES = 64;
const REPLICAS = 3;

export interface NatsOptions {
  readonly servers: readonly string[];
  readonly cluster: string;
  readonly credsFile: string | null;
  readonly caFile: string | null;
  readonly warn: (text: string) => void;
}

interface Opened {
  readonly stream: JetStreamClient;
  readonly manager: JetStreamManager;
  readonly bucket: KV;
}

export class NatsEngine implements Engine {
  readonly #options: NatsOptions;
  readonly #connection: NatsConnection;
  readonly #packages: Packages;
  readonly #name: string;
  readonly #subject: string;
  #opened: Promise<Opened> | null = null;
  #snapshots: Snapshots | null = null;

  /** Resolves when the engine is reached, however long that takes. */
  static async connect(options: NatsOptions): Promise<NatsEngine> {
    const packages = await loadPackages();
    const { transport } = packages;
    const { servers, cluster, credsFile, caFile } = options;
    const connection = await transport.connect({
      servers: [...servers],
      name: `cairn ${cluster}`,
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_EVERY_MS,
      pingInterval: PING_EVERY_MS,
      maxPingOut: 2,
      timeout: ANSWER_MS,
      ...(credsFile === null ? {} : { authenticator: transport.credsAuthenticator(await readFile(credsFile)) }),
      ...(caFile === null ? {} : { tls: { caFile } }),
    });
    return new NatsEngine(options, connection, packages);
  }

  private constructor(options: NatsOptions, connection: NatsConnection, packages: Packages) {
    this.#options = options;
    this.#connection = connection;
    this.#packages = packages;
    this.#name = `CAIRN_${options.cluster}`;
    this.#subject = `cairn.${options.cluster}`;
  }

  payloadMax(): number {
    return this.#connection.info?.max_payload ?? 1_048_576;
  }

  publish(bytes: Uint8Array, expectedLast: number): Promise<number> {
    return this.#ask(async ({ stream }) => {
      const expect = { lastSequence: expectedLast, streamName: this.#name };
      return (await stream.publish(`${this.#subject}.stream`, bytes, { expect, timeout: ANSWER_MS })).seq;
    });
  }

  bounds(): Promise<StreamBounds> {
    return this.#ask(async ({ manager }) => {
      const { state, cluster } = await manager.streams.info(this.#name);
      // An engine that is parted from the others answers this question all the same, with what it has.
      if (this.#replicas() > 1 && !cluster?.leader)
        throw new EngineError('unavailable', 'the stream has no leader at the engine that answers');
      const first = state.messages === 0 ? state.last_seq + 1 : state.first_seq;
      return { first, last: state.last_seq, bytes: state.bytes };
    });
  }

  read(sequence: number): Promise<Uint8Array | null> {
    return this.#ask(async ({ manager }) => {
      const message = await manager.streams.getMessage(this.#name, { seq: sequence }).catch((error: unknown) => {
        if (codeOf(error) === NO_MESSAGE) return null;
        throw error;
      });
      return message?.data ?? null;
    });
  }

  follow(from: number, take: (sequence: number, bytes: Uint8Array) => Promise<void>): Promise<Following> {
    return this.#ask(async ({ stream }) => {
      const { DeliverPolicy } = this.#packages.jetstream;
      const consumer = await stream.consumers.get(this.#name, {
        deliver_policy: DeliverPolicy.StartSequence,
        opt_start_seq: from,
      });
      const messages = await consumer.consume({
        max_messages: FETCH_MESSAGES,
        expires: ANSWER_MS,
        idle_heartbeat: 1_000,
      });
      return { ended: this.#pass(messages, from, take), stop: () => messages.stop() };
    });
  }

  trim(below: number): Promise<void> {
    return this.#ask(async ({ manager }) => {
      await manager.streams.purge(this.#name, { seq: below });
    });
  }

  /** The cluster's object store. */
  snapshots(): Promise<Snapshots> {
    return this.#ask(async ({ stream }) => {
      this.#snapshots ??= new NatsSnapshots(stream, this.#name, this.#replicas());
      return this.#snapshots;
    });
  }

  get(key: string): Promise<LeaseEntry | null> {
    return this.#ask(async ({ bucket }) => {
      const entry = await bucket.get(key);
      return entry && entry.operation === 'PUT' ? { value: entry.value, revision: entry.revision } : null;
    });
  }

  swap(key: string, value: Uint8Array, revision: number): Promise<number | null> {
    return this.#ask(async ({ bucket }) => {
      try {
        return await (revision === 0 ? bucket.create(key, value) : bucket.update(key, value, revision));
      } catch (error) {
        if (isWrongSequence(error)) return null;
        throw error;
      }
    });
  }

  async askBarrier(): Promise<number> {
    return this.#ask(async () => {
      const answer = await this.#connection.request(`${this.#subject}.barrier`, undefined, { timeout: ANSWER_MS });
      const { sequence } = answer.json<{ sequence: number | null }>();
      if (sequence === null) throw new EngineError('unavailable', 'the leader could not publish a barrier');
      return sequence;
    });
  }

  answerBarriers(answer: () => Promise<number>): () => void {
    const subscription = this.#connection.subscribe(`${this.#subject}.barrier`, {
      callback: (error, message) => {
        if (error) return;
        const reply = (sequence: number | null): void => {
          message.respond(JSON.stringify({ sequence }));
        };
        answer().then(reply, () => reply(null));
      },
    });
    return () => subscription.unsubscribe();
  }

  announce(bytes: Uint8Array): void {
    try {
      this.#connection.publish(`${this.#subject}.here`, bytes);
    } catch {
      // Closed, or being closed: nobody is to hear of it.
    }
  }

  hear(heard: (bytes: Uint8Array) => void): void {
    this.#connection.subscribe(`${this.#subject}.here`, {
      callback: (error, message) => {
        if (!error) heard(message.data);
      },
    });
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** Each message in its turn. A gap ends it, as a broken connection does. */
  async #pass(messages: ConsumerMessages, from: number, take: (sequence: number, bytes: Uint8Array) => Promise<void>) {
    let next = from;
    void this.#endOnFault(messages);
    try {
      for await (const message of messages) {
        if (message.seq < next) continue;
        if (message.seq > next) break;
        next++;
        await take(message.seq, message.data);
      }
    } finally {
      messages.stop();
    }
  }

  /** A consumer repairs itself, and does not always: one whose stream has no leader is made again from scratch. */
  async #endOnFault(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of messages.status()) {
      if (FAULTS.has(type)) messages.stop();
    }
  }

  async #ask<T>(question: (opened: Opened) => Promise<T>): Promise<T> {
    try {
      this.#opened ??= this.#open();
      return await question(await this.#opened);
    } catch (error) {
      if (error instanceof EngineError) throw error;
      if (isWrongSequence(error)) throw new EngineError('superseded', String(error));
      // Somebody may have deleted a part of it; making what is there does no harm.
      if (GONE.has(codeOf(error) ?? 0)) this.#opened = null;
      throw new EngineError('unavailable', error instanceof Error ? error.message : String(error));
    }
  }

  #replicas(): number {
    return this.#connection.info?.cluster === undefined ? 1 : REPLICAS;
  }

  #open(): Promise<Opened> {
    const opening = this.#make();
    opening.catch(() => {
      if (this.#opened === opening) this.#opened = null;
    });
    return opening;
  }

  async #make(): Promise<Opened> {
    const { jetstream, kv } = this.#packages;
    const manager = await jetstream.jetstreamManager(this.#connection, { checkAPI: false, timeout: ANSWER_MS });
    const stream = jetstream.jetstream(this.#connection, { timeout: ANSWER_MS });
    const replicas = this.#replicas();
    if (replicas < REPLICAS)
      this.#options.warn('the engine is a single server: what it keeps of this cluster has no second copy');
    await manager.streams.info(this.#name).catch(async (error: unknown) => {
      if (!GONE.has(codeOf(error) ?? 0)) throw error;
      await manager.streams.add({
        name: this.#name,
        subjects: [`${this.#subject}.stream`],
        num_replicas: replicas,
        storage: jetstream.StorageType.File,
        retention: jetstream.RetentionPolicy.Limits,
        allow_direct: false,
      });
    });
    const bucket = await new kv.Kvm(stream).create(this.#name, {
      history: 1,
      replicas,
      allow_direct: false,
    });
    return { stream, manager, bucket };
  }
}

const NO_MESSAGE = 10_037;
/** Stream or consumer not found. */
const GONE = new Set([10_059, 10_014]);
/** Wrong last sequence, with and without the number that it is; also of a key. */
const WRONG_SEQUENCE = new Set([10_071, 10_164]);
const FAULTS = new Set([
  'heartbeats_missed',
  'consumer_not_found',
  'stream_not_found',
  'consumer_deleted',
  'no_responders',
  'ordered_consumer_recreated',
]);

function codeOf(error: unknown): number | undefined {
  return (error as { code?: number } | null)?.code;
}

function isWrongSequence(error: unknown): boolean {
  return WRONG_SEQUENCE.has(codeOf(error) ?? 0);
}

interface Packages {
  readonly transport: typeof import('@nats-io/transport-node');
  readonly jetstream: typeof import('@nats-io/jetstream');
  readonly kv: typeof import('@nats-io/kv');
}

async function loadPackages(): Promise<Packages> {
  const [transport, jetstream, kv] = await Promise.all([
    import('@nats-io/transport-node'),
    import('@nats-io/jetstream'),
    import('@nats-io/kv'),
  ]);
  return { transport, jetstream, kv };
}
