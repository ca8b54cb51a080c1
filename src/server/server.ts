/**
 * Composition root of the server: builds the parts in the order in which they need each other, and stops them in reverse.
 *
 *   data directory lock ─ parts without shards ─ pool, node logs ─ listener ─ maintenance ─ shards
 */
import type { Write } from '../actors/runtime/behaviour.ts';
import type { Logger } from '../base/log.ts';
import { CertificateRenewal } from '../control/acme/certificate-renewal.ts';
import type { Maintenance } from '../control/maintenance/maintenance.ts';
import { AgentPackages } from '../control/packages/agent-packages.ts';
import type { Settings } from '../control/settings/settings.ts';
import type { ControlCommand, ControlReply, DataDirectoryLock } from '../store/files/data-directory-lock.ts';
import { PIN_COMMAND } from '../store/files/live-view.ts';
import { packLogChange } from '../store/logs/log-changes.ts';
import { logBaseTable } from '../store/logs/log-offsets.ts';
import { NodeLogFiles } from '../store/logs/node-log-files.ts';
import { Pool } from '../workers/pool.ts';
import { ServerDoctor } from './doctor.ts';
import { enterHouse, type House } from './house.ts';
import { makeMaintenance } from './maintenance.ts';
import type { ServerOptions } from './options.ts';
import { databaseFolderOf, openParts, type ServerParts, selfMadeFiles } from './parts.ts';
import { pin } from './pin.ts';
import type { ClusterParts } from './replication.ts';
import { ServerFront } from './server-front.ts';
import { ServerStatus } from './status.ts';

const STOP_MS = 10_000;

export class Server {
  readonly log: Logger;
  readonly #options: ServerOptions;
  readonly #claim: DataDirectoryLock;
  /** Null where the server stands alone. */
  readonly #cluster: ClusterParts | null;
  readonly #parts: ServerParts;
  readonly #front: ServerFront;
  readonly #pool: Pool;
  readonly #backgroundPool: Pool;
  readonly #nodeLogs: NodeLogFiles;
  /** Null where no authority is set. */
  readonly #renewal: CertificateRenewal | null;
  readonly #maintenance: Maintenance;
  readonly #status: ServerStatus;
  readonly #doctor: ServerDoctor;

  /** Resolves when the server answers. Throws a sentence for the operator. */
  static async start(options: ServerOptions): Promise<Server> {
    const house = await enterHouse(options);
    try {
      return await Server.#open(options, house, null);
    } catch (error) {
      await house.claim.release();
      throw error;
    }
  }

  /** The leader of a cluster, over a database that is up to date. House and writer stay when it stops. */
  static lead(options: ServerOptions, house: House, cluster: ClusterParts): Promise<Server> {
    return Server.#open(options, house, cluster);
  }

  static async #open(options: ServerOptions, house: House, cluster: ClusterParts | null): Promise<Server> {
    // The parts tell the shards of a change, which come after them.
    const publisher: { publish: () => Promise<void> } = { publish: async () => {} };
    const parts = await openParts(options, house.warnings, () => publisher.publish(), cluster?.writerParts);
    const server = new Server(options, house.claim, parts, cluster);
    publisher.publish = () => server.#front.publish();
    try {
      await server.#run();
    } catch (error) {
      // A lone server's process ends. In a cluster the role may have changed meanwhile, and the other composition comes.
      if (cluster) await server.stop(0).catch(() => {});
      throw error;
    }
    return server;
  }

  private constructor(
    options: ServerOptions,
    claim: DataDirectoryLock,
    parts: ServerParts,
    cluster: ClusterParts | null,
  ) {
    const { logs, writer, reader, settings } = parts;
    this.#options = options;
    this.#claim = claim;
    this.#cluster = cluster;
    this.#parts = parts;
    this.log = logs.log;
    this.#front = new ServerFront(options, parts, cluster);
    const { shards, pulse, configuration } = this.#front;
    const databaseFolder = databaseFolderOf(options);
    this.#pool = new Pool({ databaseFolder, isBackground: false }, options.workers, options.warmUp);
    this.#backgroundPool = new Pool({ databaseFolder, isBackground: true }, 1);
    this.#nodeLogs = new NodeLogFiles(
      options.logFolder,
      logBaseTable(reader, (writes) => writer.commit(writes as readonly Write[])),
      cluster && ((change) => writer.log(packLogChange(change))),
    );
    this.#renewal = renewalFor(options, settings, this.log, () => configuration.reload());
    const replication = cluster?.replication ?? null;
    const made = { ...parts, shards, pool: this.#pool, nodeLogs: this.#nodeLogs, replication };
    this.#maintenance = makeMaintenance({ ...made, pool: this.#backgroundPool });
    const { dataFolder, logFolder } = options;
    this.#doctor = new ServerDoctor({ ...made, dataFolder, logFolder });
    this.#status = new ServerStatus({
      ...made,
      shardCount: options.shards,
      pulse,
      dataFolder,
    });
    settings.addParticipant(logs);
    settings.addParticipant(configuration);
    settings.addParticipant({
      prepare: async () => ({ commit: () => this.#maintenance.retime(), rollback: () => {} }),
    });
  }

  get address(): string {
    return this.#front.address;
  }

  async #run(): Promise<void> {
    await this.#front.spawn({
      ...this.#parts,
      pool: this.#pool,
      nodeLogs: this.#nodeLogs,
      listener: this.#front.listener,
      status: this.#status,
      doctor: this.#doctor,
      packages: new AgentPackages(this.#options.dataFolder, this.log),
      replication: this.#cluster?.replication ?? null,
    });
    await this.#renewal?.setAsideExpired();
    await this.#front.configuration.start(this.#parts.settings.config);
    void this.#renewal?.start();
    this.#front.pulse.start();
    this.#claim.onCommand((command) => this.#control(command));
    this.#maintenance.start();
    this.#parts.webhooks.start();
    this.log.info({ addr: this.address, shards: this.#options.shards, workers: this.#options.workers }, 'ready');
  }

  /** Stops listening, finishes what is in flight within the time, flushes. The writer and the folder of a cluster's server stay. */
  async stop(withinMs = STOP_MS): Promise<void> {
    const { identity, reader, logs, webhooks } = this.#parts;
    this.log.info({}, 'stopping');
    this.#front.pulse.stop();
    this.#maintenance.stop();
    await webhooks.stop();
    this.#doctor.stop();
    identity.stop();
    this.#renewal?.stop();
    this.#front.close();
    await this.#front.stop(withinMs);
    await Promise.all([this.#pool.close(), this.#backgroundPool.close()]);
    this.#claim.releaseHeld();
    await reader.close();
    this.log.info({}, 'stopped');
    await logs.close();
    if (!this.#cluster) await this.#claim.release();
  }

  reload(): Promise<void> {
    return this.#front.reload();
  }

  /** Tells the shards of another state of the cluster. */
  publishCluster(): Promise<void> {
    return this.#front.publish();
  }

  crashShard(shard: number): Promise<void> {
    return this.#front.shards.crash(shard);
  }

  /** Commands of the data folder's owner, over the socket in it. */
  async #control({ command }: ControlCommand): Promise<ControlReply> {
    if (command === PIN_COMMAND) return pin(this.#parts.reader);
    if (command === 'doctor') return { ok: true, message: JSON.stringify(await this.#doctor.report()) };
    if (command !== 'idp-disable') return { ok: false, message: `unknown command ${command}` };
    const { settings } = this.#parts;
    await settings.changeIdp(
      { ...settings.config.security.idp, enabled: false },
      { name: 'cairn idp disable', from: 'control socket' },
    );
    return { ok: true, message: 'the identity provider is disabled' };
  }
}

/** Of the self-made pair's place; a pair of the operator's is the operator's to renew. */
function renewalFor(
  { acme, dataFolder }: ServerOptions,
  settings: Pick<Settings, 'config'>,
  log: Logger,
  takeUp: () => Promise<void>,
): CertificateRenewal | null {
  if (acme === null) return null;
  const files = selfMadeFiles(dataFolder);
  const isServed = (): boolean => settings.config.security.certFile === files.certFile;
  return new CertificateRenewal({ ...files, settings: acme, log, isServed, takeUp, nowMs: () => Date.now() });
}
