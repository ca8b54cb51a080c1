/** Puts the agent together: who measures, who sends, who ships, and in which order they start and stop. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemRandom } from '../src/base/random.ts';
import type { BatchedBeat } from '../src/protocol/heartbeat.ts';
import { formatTimestampMs } from '../src/protocol/timestamp.ts';
import type { AgentLog } from './base/log.ts';
import { type Cancel, systemTimers } from './base/timers.ts';
import { BeatClock } from './beat-clock.ts';
import { type ConfigJson, ConfigWatch, heartbeatMsIn } from './config-watch.ts';
import type { DataDirectoryLock } from './folder-lock.ts';
import { metricsBetween, type Reading } from './host/meter.ts';
import { Probe, tryRead } from './host/probe.ts';
import type { Instance } from './instance/instance.ts';
import { registrationOf } from './instance/registration.ts';
import { JobsPart } from './jobs/jobs-part.ts';
import { BeatSocket } from './link/beat-socket.ts';
import { HeartbeatSender } from './link/heartbeat-sender.ts';
import { BEAT_MS_DEFAULT, beatMsOf } from './link/link-state.ts';
import type { Outcome, Reply } from './link/outcome.ts';
import { ServerCalls } from './link/server-calls.ts';
import type { Servers } from './link/servers.ts';
import { SocketKeeper } from './link/socket-keeper.ts';
import { Tokens } from './link/tokens.ts';
import { Interruption } from './notice/interruption.ts';
import { noticeSources, noticeUrlsOf } from './notice/sources.ts';
import type { AgentOptions } from './options.ts';
import { LogState } from './ship/log-state.ts';
import { LogTail } from './ship/log-tail.ts';
import { Shipper } from './ship/shipper.ts';
import { Spool } from './spool/spool.ts';

export interface AgentParts {
  readonly options: AgentOptions;
  readonly nodeId: string;
  readonly instance: Instance;
  readonly servers: Servers;
  readonly claim: Pick<DataDirectoryLock, 'serve'>;
  readonly log: AgentLog;
  readonly onFirstRegistered: () => void;
}

/** All that may be sent after the signal to stop: service managers wait 10 s at least, and a node may be given 5. */
const STOP_MS = 3_000;
/** Of that, what is kept for the node's own leaving. */
const LEAVE_MS = 500;
/** A push reaches all agents within a millisecond; they ask for the configuration over this time. */
const PUSH_SPREAD_MS = 1_000;
/** `nextBeatMs` differs from `node.heartbeat` by as much without meaning anything. */
const BEAT_JITTER = 1.1;
const { clock } = systemTimers;

export class Agent {
  readonly #parts: AgentParts;
  readonly #tokens: Tokens;
  readonly #calls: ServerCalls;
  readonly #spool: Spool;
  readonly #probe: Probe;
  /** Another one when an interruption notice was withdrawn. */
  #sender: HeartbeatSender;
  /** Null where beats go over HTTP only. */
  readonly #keeper: SocketKeeper | null;
  readonly #shipper: Shipper;
  readonly #jobs: JobsPart;
  readonly #interruption: Interruption;
  readonly #config: ConfigWatch;
  readonly #beatClock: BeatClock;
  #reading: Reading | null = null;
  #isMeasuring = false;
  #wasRegistered = false;
  #droppedTotal = 0;
  #beatMs = BEAT_MS_DEFAULT;
  #cancelPush: Cancel = () => {};

  constructor(parts: AgentParts) {
    const { options, nodeId, log } = parts;
    this.#parts = parts;
    this.#tokens = tokensOf(options, log);
    const monotonicMs = (): number => clock.monotonicMs();
    this.#calls = new ServerCalls({ client: parts.servers, tokens: this.#tokens, nodeId, monotonicMs });
    this.#probe = new Probe(options.diskPath, () => clock.monotonicMs());
    this.#spool = Spool.open({
      folder: options.dataFolder,
      nodeId,
      monotonicMs,
      onDropped: (lines) => this.#onDropped(lines),
    });
    this.#config = new ConfigWatch({
      fetch: () => this.#fetchConfig(),
      log,
      onConfig: (config) => this.#jobs.onConfig(config),
    });
    this.#beatClock = new BeatClock(systemTimers, BEAT_MS_DEFAULT, () => void this.#beat());
    this.#sender = this.#makeHeartbeatSender();
    this.#keeper = options.transport === 'http' ? null : this.#makeCheckpointer();
    this.#shipper = this.#makeShipper();
    this.#jobs = this.#makeJobs();
    this.#interruption = this.#makeInterruption();
  }

  async start(): Promise<void> {
    this.#reading = await this.#probe.read();
    await this.#jobs.findEngines();
    this.#beatClock.start();
    this.#sender.start();
    this.#jobs.start(this.#parts.claim);
    this.#interruption.start();
  }

  /** Sends what can be sent in the time that is left, and lets go of everything. */
  async stop(): Promise<void> {
    const { servers, options, log } = this.#parts;
    const endMs = clock.monotonicMs() + STOP_MS;
    this.#beatClock.stop();
    this.#interruption.stop();
    this.#calls.endMs = options.deregisterOnExit ? endMs - LEAVE_MS : endMs;
    await this.#flush(this.#calls.endMs - clock.monotonicMs());
    // Stopped before the node leaves: a heartbeat sender that gets "unknown" would register it again.
    const rests = this.#sender.stop();
    this.#calls.endMs = endMs;
    if (options.deregisterOnExit && this.#wasRegistered) await this.#deregister();
    await this.#keeper?.close();
    this.#cancelPush();
    servers.close();
    await rests;
    await this.#shipper.close();
    await this.#jobs.stop();
    log.info(this.#spool.isEmpty ? 'stopped' : 'stopped; unsent heartbeats stay on disk until the next start');
    this.#spool.close();
  }

  async #flush(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const timeIsUp = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs);
    });
    // Also where the server is not known to be there: a registration in progress decides who has to leave.
    const logs = this.#sender.isUp ? [this.#shipper.finish(), this.#jobs.finish()] : [];
    const sends = [this.#sender.finish(), ...logs];
    await Promise.race([Promise.all(sends), timeIsUp]);
    clearTimeout(timer);
  }

  #makeHeartbeatSender(): HeartbeatSender {
    const { nodeId, log, instance, options } = this.#parts;
    return new HeartbeatSender({
      nodeId,
      call: (request) => this.#calls.call(request),
      sendFrame: (beats, deadlineMs) => this.#sendFrame(beats, deadlineMs),
      facts: () => registrationOf({ ...options, nodeId, instance, agent: this.#jobs.facts(), wallMs: clock.wallMs() }),
      wantsNewToken: () => this.#tokens.isAging(clock.wallMs()),
      spool: this.#spool,
      timers: systemTimers,
      random: systemRandom,
      log,
      events: {
        onRegistered: (token) => this.#onRegistered(token),
        onBeatMs: (beatMs) => this.#onBeatMs(beatMs),
        onConfigVersion: (version) => void this.#config.onVersion(version),
        onOrder: (order) => this.#jobs.order(order),
        onDenied: () => this.#tokens.onDenied(),
        onUp: () => {
          this.#keeper?.wake();
          this.#shipper.wake();
          this.#jobs.onUp();
        },
      },
    });
  }

  #makeCheckpointer(): SocketKeeper {
    const { options, servers, log } = this.#parts;
    return new SocketKeeper({
      open: (token, events) => new BeatSocket({ server: servers.url, token, agent: servers.agent }, events),
      servers,
      token: () => this.#tokens.current,
      isServerUp: () => this.#sender.isUp,
      beatMs: () => this.#beatMs,
      isOnlyWay: options.transport === 'websocket',
      onConfigVersion: (version) => this.#onPush(version),
      timers: systemTimers,
      random: systemRandom,
      log,
    });
  }

  #makeShipper(): Shipper {
    const { options, log } = this.#parts;
    const state = new LogState(options.dataFolder);
    const post = (path: string, offset: number, bytes: Uint8Array): Promise<Outcome> =>
      this.#calls.postLog(path, offset, bytes);
    const monotonicMs = (): number => clock.monotonicMs();
    return new Shipper({
      tails: options.logFiles.map((path) => new LogTail({ path, state, post, monotonicMs, log })),
      state,
      isUp: () => this.#sender.isUp,
      beatMs: () => this.#beatMs,
      timers: systemTimers,
      random: systemRandom,
      log,
    });
  }

  #makeJobs(): JobsPart {
    const { options, nodeId, instance, log } = this.#parts;
    return new JobsPart({
      nodeId,
      instance,
      dataFolder: options.dataFolder,
      calls: this.#calls,
      isUp: () => this.#sender.isUp,
      tryNow: () => this.#sender.tryNow(),
      beatMs: () => this.#beatMs,
      timers: systemTimers,
      log,
    });
  }

  #makeInterruption(): Interruption {
    const { options, nodeId, log } = this.#parts;
    return new Interruption({
      nodeId,
      sources: noticeSources(noticeUrlsOf(options.imdsUrl, process.env)),
      jobs: this.#jobs,
      call: (request) => this.#calls.call(request),
      fallSilent: () => {
        this.#beatClock.stop();
        return this.#sender.stop();
      },
      deregister: (deadlineMs) => this.#calls.deregister(deadlineMs),
      rejoin: () => {
        this.#sender = this.#makeHeartbeatSender();
        this.#sender.start();
        this.#beatClock.start();
      },
      ...{ timers: systemTimers, random: systemRandom, log },
    });
  }

  async #beat(): Promise<void> {
    // A file system that hangs for longer than the interval must not make readings pile up.
    if (this.#isMeasuring) return;
    this.#isMeasuring = true;
    const reading = await this.#probe.read();
    this.#isMeasuring = false;
    const metrics = metricsBetween(this.#reading, reading);
    this.#reading = reading;
    this.#sender.offer({ time: formatTimestampMs(clock.wallMs()), metrics });
  }

  #onRegistered(issuedToken: string | null): void {
    if (issuedToken !== null) this.#tokens.take(issuedToken);
    else this.#tokens.keepOn(clock.wallMs());
    this.#beatClock.restart();
    this.#parts.log.info(`registered as ${this.#parts.nodeId}`);
    if (!this.#wasRegistered) this.#parts.onFirstRegistered();
    this.#wasRegistered = true;
  }

  #onBeatMs(beatMs: number): void {
    this.#beatMs = beatMs;
    this.#beatClock.setInterval(beatMs);
  }

  #onPush(version: number): void {
    this.#cancelPush();
    this.#cancelPush = systemTimers.after(
      systemRandom.between(0, PUSH_SPREAD_MS),
      () => void this.#config.onVersion(version),
    );
  }

  #onDropped(lines: number): void {
    this.#droppedTotal += lines;
    const total = this.#droppedTotal;
    this.#parts.log.warn(`the spool is full: the oldest ${lines} heartbeats were dropped, ${total} since the start`);
  }

  async #sendFrame(beats: readonly BatchedBeat[], deadlineMs: number): Promise<Reply | null> {
    return (await this.#keeper?.send(beats, this.#calls.within(deadlineMs))) ?? null;
  }

  async #fetchConfig(): Promise<ConfigJson | null> {
    const outcome = await this.#calls.config();
    if (outcome.type === 'accepted' && typeof outcome.json === 'object' && outcome.json !== null) {
      const config = outcome.json as ConfigJson;
      // A shorter interval begins now: until the next beat would have come, the node might be held for lost.
      const heartbeatMs = beatMsOf(heartbeatMsIn(config) ?? Number.POSITIVE_INFINITY);
      if (heartbeatMs * BEAT_JITTER < this.#beatMs) this.#onBeatMs(heartbeatMs);
      return config;
    }
    this.#parts.log.debug(`cannot read the configuration: ${'reason' in outcome ? outcome.reason : outcome.type}`);
    return null;
  }

  async #deregister(): Promise<void> {
    const outcome = await this.#calls.deregister(LEAVE_MS);
    if (outcome.type === 'accepted') this.#parts.log.info('deregistered');
    else this.#parts.log.warn(`cannot deregister: ${'reason' in outcome ? outcome.reason : outcome.type}`);
  }
}

/** The token of the command line or its file, and the token from an earlier registration. */
function tokensOf({ token, tokenFile, joinToken, dataFolder }: AgentOptions, log: AgentLog): Tokens {
  const keptFile = join(dataFolder, 'node-token');
  return new Tokens({
    given: () => token ?? (tokenFile === null ? null : tryRead(tokenFile).trim() || null) ?? joinToken,
    issued: token === null && tokenFile === null && joinToken === null ? null : tryRead(keptFile).trim() || null,
    keep: (issued) => {
      try {
        writeFileSync(keptFile, `${issued}\n`, { mode: 0o600 });
      } catch (error) {
        log.warn(`cannot save the node token: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
  });
}
