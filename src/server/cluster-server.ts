/**
 * A server of a cluster: one process, one writer thread, and the composition that its role asks for. The role changes in the
 * writer thread; this file hears of it and exchanges the composition.
 *
 *   follower, catching-up ──► FollowerServer ◄──exchange──► Server ◄── leader
 *
 * While they are exchanged the address refuses connections, for less than a second; none is left hanging.
 */
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ProcessFigures } from '../control/figures/process-figures.ts';
import { isWildcard, type ServerAddress } from '../protocol/address.ts';
import { ConfigFile } from '../store/files/config-file.ts';
import type { ReplicaPeer } from '../store/replica/status.ts';
import { FollowerServer } from './follower.ts';
import { enterHouse, type House } from './house.ts';
import type { ServerOptions } from './options.ts';
import type { WriterParts } from './parts.ts';
import { type ClusterParts, type Replica, ReplicaNews, Replication, replicaId } from './replication.ts';
import { Server } from './server.ts';

export interface ClusterHost {
  readonly options: ServerOptions;
  /** How the others reach this server; null: at the address at which it listens. */
  readonly advertise: string | null;
  openReplica(
    self: ReplicaPeer,
    news: (level: 'info' | 'warn', text: string) => void,
  ): Promise<{ readonly replica: Replica; readonly writerParts: WriterParts }>;
  /** Ends the writer thread. */
  close(): Promise<void>;
}

type Composition =
  | { readonly term: number; readonly server: Server }
  | { readonly term: null; readonly server: FollowerServer };

/** What is in flight when the role changes: its writes fail at once, so this is for readers. */
const EXCHANGE_MS = 1_000;
const STOP_MS = 10_000;
/** A composition that cannot start now may do so a moment later: the port is taken by a process that ends, say. */
const ATTEMPTS = 10;
const PAUSE_MS = 500;
const UNREACHABLE = 'the other servers of the cluster need a URL of this one; start it with --advertise';

export class ClusterServer {
  readonly #host: ClusterHost;
  readonly #id: string;
  #house: House;
  readonly #cluster: ClusterParts;
  readonly #news: ReplicaNews;
  #current: Composition | null = null;
  #turns: Promise<void> = Promise.resolve();
  #isStopping = false;
  #published = '';

  /** Resolves when the server answers. Throws a sentence for the operator. */
  static async start(host: ClusterHost): Promise<ClusterServer> {
    const { options, advertise } = host;
    const house = await enterHouse(options);
    try {
      const id = await replicaId(options.dataFolder);
      const stored = (await new ConfigFile(options.dataFolder).read()) as { readonly addr?: string } | undefined;
      const url = advertise ?? stored?.addr ?? options.addr;
      const news = new ReplicaNews();
      // Nobody passes a call on to https without a certificate to compare with; it is registered once there is one.
      const { replica, writerParts } = await host.openReplica({ id, url, fingerprint: null }, (level, text) =>
        news.tell(level, text),
      );
      const server = new ClusterServer(host, id, house, { replica, writerParts, news });
      await server.#exchange();
      replica.onChange(() => server.#onStatus());
      server.#onStatus();
      return server;
    } catch (error) {
      await house.claim.release();
      throw error;
    }
  }

  private constructor(
    host: ClusterHost,
    id: string,
    house: House,
    parts: { readonly replica: Replica; readonly writerParts: WriterParts; readonly news: ReplicaNews },
  ) {
    this.#host = host;
    this.#id = id;
    this.#house = house;
    const { replica, writerParts, news } = parts;
    this.#news = news;
    const onServed = (address: string, certFile: string | null): void => void this.#register(address, certFile);
    const addressFault = (address: ServerAddress): string | null =>
      host.advertise === null && isWildcard(address) ? UNREACHABLE : null;
    const replication = new Replication(replica, id);
    this.#cluster = { writerParts, replication, figures: new ProcessFigures(), addressFault, onServed };
  }

  get address(): string {
    return this.#current?.server.address ?? this.#host.options.addr;
  }

  async reload(): Promise<void> {
    await this.#current?.server.reload();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#turns;
    await this.#current?.server.stop(STOP_MS);
    await this.#host.close();
    await this.#house.claim.release();
  }

  /** In which this server leads; null: it does not. Another leader may have written between two terms of its own. */
  get #term(): number | null {
    const { role, term } = this.#cluster.replication.status;
    return role === 'leader' ? term : null;
  }

  #onStatus(): void {
    if (this.#isStopping) return;
    if (this.#current?.term !== this.#term) {
      this.#turns = this.#turns.then(() => this.#exchange()).catch((error: unknown) => this.#giveUp(error));
      return;
    }
    const state = JSON.stringify(this.#cluster.replication.state);
    if (state === this.#published) return;
    this.#published = state;
    void this.#current.server.publishCluster().catch(() => {});
  }

  /** Until the composition is that of the role and the term; they may change meanwhile. */
  async #exchange(): Promise<void> {
    let failures = 0;
    while (!this.#isStopping && this.#current?.term !== this.#term) {
      this.#news.turnTo(null);
      await this.#current?.server.stop(EXCHANGE_MS);
      this.#current = null;
      const term = this.#term;
      try {
        this.#current = await this.#compose(term);
        this.#news.turnTo(this.#current.server.log);
      } catch (error) {
        // What fails because the role has changed again is no fault.
        if (term === this.#term && ++failures === ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
    this.#published = '';
    // They are told once, not with each role.
    this.#house = { ...this.#house, warnings: [] };
  }

  async #compose(term: number | null): Promise<Composition> {
    const { options } = this.#host;
    const house = this.#house;
    const cluster = this.#cluster;
    if (term !== null) return { term, server: await Server.lead(options, house, cluster) };
    return { term, server: await FollowerServer.start({ options, house, cluster }) };
  }

  async #register(address: string, certFile: string | null): Promise<void> {
    const { advertise } = this.#host;
    const id = this.#id;
    const fingerprint = certFile === null ? null : await fingerprintOf(certFile);
    this.#cluster.replication.register({ id, url: advertise ?? address, fingerprint });
  }

  #giveUp(error: unknown): void {
    process.stderr.write(`cairn: cannot change the role: ${error instanceof Error ? error.message : String(error)}\n`);
    this.#host.options.onGiveUp();
  }
}

/** SHA-256 of the certificate that is shown, the first of its file: lower-case hex. Null where it cannot be read. */
async function fingerprintOf(certFile: string): Promise<string | null> {
  try {
    return new X509Certificate(await readFile(certFile)).fingerprint256.replaceAll(':', '').toLowerCase();
  } catch {
    return null;
  }
}
