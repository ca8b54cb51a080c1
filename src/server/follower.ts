/**
 * A server of a cluster while another one leads: the same gateway over the own database, and no actors. It reads, and passes
 * on what only the leader can do.
 */
import type { Logger } from '../base/log.ts';
import { AgentPackages } from '../control/packages/agent-packages.ts';
import type { ControlReply } from '../store/files/data-directory-lock.ts';
import { PIN_COMMAND } from '../store/files/live-view.ts';
import { logBaseTable } from '../store/logs/log-offsets.ts';
import { NodeLogFiles } from '../store/logs/node-log-files.ts';
import { Pool } from '../workers/pool.ts';
import { ServerDoctor } from './doctor.ts';
import { FollowedParts } from './followed-parts.ts';
import type { House } from './house.ts';
import type { ServerOptions } from './options.ts';
import { databaseFolderOf } from './parts.ts';
import { pin } from './pin.ts';
import type { ClusterParts } from './replication.ts';
import { ServerFront } from './server-front.ts';
import { ServerStatus } from './status.ts';

export interface FollowerHost {
  readonly options: ServerOptions;
  readonly house: House;
  readonly cluster: ClusterParts;
}

/** How late a change of what the servers share is taken up, at most. */
const REFRESH_MS = 200;

export class FollowerServer {
  readonly log: Logger;
  readonly #host: FollowerHost;
  readonly #parts: FollowedParts;
  readonly #front: ServerFront;
  readonly #pool: Pool;
  readonly #doctor: ServerDoctor;
  readonly #nodeLogs: NodeLogFiles;
  #timer: NodeJS.Timeout | undefined;
  #lastRefresh: Promise<void> = Promise.resolve();
  /** One that has not begun yet. */
  #nextRefresh: Promise<void> | null = null;

  /** Resolves when the server answers. Throws a sentence for the operator. */
  static async start(host: FollowerHost): Promise<FollowerServer> {
    const { options, house, cluster } = host;
    const publisher: { publish: () => Promise<void> } = { publish: async () => {} };
    const parts = await FollowedParts.open({
      options,
      warnings: house.warnings,
      writerParts: cluster.writerParts,
      publish: () => publisher.publish(),
    });
    const server = new FollowerServer(host, parts);
    publisher.publish = () => server.publishCluster();
    try {
      await server.#run();
    } catch (error) {
      await server.stop(0).catch(() => {});
      throw error;
    }
    return server;
  }

  private constructor(host: FollowerHost, parts: FollowedParts) {
    const { options, cluster } = host;
    this.#host = host;
    this.#parts = parts;
    this.log = parts.logs.log;
    this.#front = new ServerFront(options, parts, cluster);
    this.#pool = new Pool(
      { databaseFolder: databaseFolderOf(options), isBackground: false },
      options.workers,
      options.warmUp,
    );
    // Its files are written by the writer thread, as the stream has them.
    this.#nodeLogs = new NodeLogFiles(
      options.logFolder,
      logBaseTable(parts.reader, () => Promise.resolve()),
    );
    const { dataFolder, logFolder } = options;
    const view = { shards: this.#front.shards, replication: cluster.replication, dataFolder, logFolder };
    // Made of the parts, not copied from them: some of them are replaced.
    this.#doctor = new ServerDoctor(Object.assign(Object.create(parts) as FollowedParts, view));
  }

  get address(): string {
    return this.#front.address;
  }

  async #run(): Promise<void> {
    const { options, house, cluster } = this.#host;
    const parts = this.#parts;
    const { replication } = cluster;
    const { shards, pulse, listener, configuration } = this.#front;
    const made = { pool: this.#pool, nodeLogs: this.#nodeLogs, listener, replication };
    const more = {
      shards,
      shardCount: options.shards,
      pulse,
      dataFolder: options.dataFolder,
    };
    const services = Object.assign(Object.create(parts) as FollowedParts, {
      ...made,
      status: new ServerStatus(Object.assign(Object.create(parts) as FollowedParts, made, more)),
      doctor: this.#doctor,
      packages: new AgentPackages(options.dataFolder, this.log),
      refresh: () => this.#refresh(),
    });
    await this.#front.spawn(services);
    await configuration.start(parts.settings.config);
    pulse.start();
    this.#timer = setInterval(() => void this.#refresh(), REFRESH_MS).unref();
    house.claim.onCommand(({ command }) => this.#control(command));
    this.log.info({ addr: this.address, leader: replication.status.leader?.url ?? null }, 'following');
  }

  async stop(withinMs: number): Promise<void> {
    clearInterval(this.#timer);
    this.#front.pulse.stop();
    this.#doctor.stop();
    this.#parts.identity.stop();
    this.#front.close();
    await this.#front.stop(withinMs);
    await this.#pool.close();
    this.#host.house.claim.releaseHeld();
    await this.#parts.reader.close();
    this.log.info({}, 'no longer following');
    await this.#parts.logs.close();
  }

  reload(): Promise<void> {
    return this.#front.reload();
  }

  publishCluster(): Promise<void> {
    return this.#front.publish();
  }

  /** Takes up what the database holds at this moment: a look that has begun already may have missed it. */
  #refresh(): Promise<void> {
    this.#nextRefresh ??= this.#lastRefresh.then(() => {
      this.#nextRefresh = null;
      this.#lastRefresh = this.#takeUp();
      return this.#lastRefresh;
    });
    return this.#nextRefresh;
  }

  async #takeUp(): Promise<void> {
    try {
      if (await this.#parts.refresh()) await this.publishCluster();
    } catch (error) {
      this.log.error({ kind: 'environment', error }, 'cannot take up what the leader has changed');
    }
  }

  async #control(command: string): Promise<ControlReply> {
    if (command === PIN_COMMAND) return pin(this.#parts.reader);
    if (command === 'doctor') return { ok: true, message: JSON.stringify(await this.#doctor.report()) };
    if (command === 'idp-disable')
      return { ok: false, message: 'another server of the cluster leads: disable it there' };
    return { ok: false, message: `unknown command ${command}` };
  }
}
