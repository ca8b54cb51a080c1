/**
 * The listening sockets, on main. An acceptor takes connections and hands each to a shard's app. A change is made so that
 * no client is refused that should be served:
 *
 *   certificate  the shards open apps with the new pair; the acceptor swaps the apps it hands to; the socket stays
 *   address      the new socket is bound first, then the old one is closed, then the old apps end when idle
 *
 * The acceptor must be of its children's kind: uWS 20.51.4 adopts a socket with the size of the acceptor's kind, and a
 * plain acceptor with TLS children writes beyond the socket's memory (seen with valgrind). So a change of scheme is a
 * change of acceptor.
 */
import { type AddressInfo, createServer } from 'node:net';
import { CodedError, errorBodyOf } from '../../base/errors.ts';
import { formatAddress, type ServerAddress, tryParseAddress } from '../../protocol/address.ts';
import type { TlsFiles } from '../http/tls-files.ts';
import { type TemplatedApp, tlsAppOptions, type us_listen_socket, uws } from '../http/uws.ts';
import { type AcceptorApp, ChildApps } from './child-apps.ts';

/** The shards as the listener needs them. */
export interface AppHosts {
  /** Opens an app on every live shard; descriptors by shard. */
  open(generation: number, tls: TlsFiles | null): Promise<ReadonlyMap<number, number>>;
  retire(generation: number): Promise<void>;
}

interface Acceptor {
  readonly app: TemplatedApp;
  readonly children: ChildApps;
  readonly sockets: us_listen_socket[];
}

interface Listening {
  readonly address: ServerAddress;
  readonly tls: TlsFiles | null;
  readonly generation: number;
  readonly acceptor: Acceptor;
  readonly descriptors: Map<number, number>;
}

export interface PreparedListening {
  commit(): void;
  rollback(): void;
}

export class Listener {
  readonly #hosts: AppHosts;
  #current: Listening | undefined;
  #generation = 0;
  /** Also those that are not taken up yet. */
  readonly #listenings = new Set<Listening>();
  /** How many times each shard has gone. */
  readonly #departures = new Map<number, number>();

  constructor(hosts: AppHosts) {
    this.#hosts = hosts;
  }

  get generation(): number {
    return this.#generation;
  }

  get tls(): TlsFiles | null {
    return this.#current?.tls ?? null;
  }

  /** As it is listened on. */
  get address(): string | undefined {
    return this.#current && formatAddress(this.#current.address);
  }

  /** Binds and opens, beside what is there. Throws addressUnavailable. */
  async prepare(address: ServerAddress, tls: TlsFiles | null): Promise<PreparedListening> {
    const before = this.#current;
    await mustBeFree(address, before?.address);
    const generation = ++this.#generation;
    const descriptors = await this.#open(generation, tls);
    const app = newAcceptor(tls);
    const acceptor: Acceptor = { app, children: new ChildApps(app), sockets: [] };
    const next: Listening = { address, tls, generation, acceptor, descriptors };
    this.#listenings.add(next);
    deal(next);
    try {
      acceptor.sockets.push(...(await bindAll(app, address)));
    } catch (error) {
      this.#end(next);
      throw error;
    }
    return {
      commit: () => {
        this.#current = next;
        if (before) this.#end(before);
      },
      rollback: () => this.#end(next),
    };
  }

  /** Takes up another certificate (or the same files with new content) without a new socket. */
  async renew(tls: TlsFiles): Promise<void> {
    const before = this.#current;
    if (!before?.tls) return;
    const generation = ++this.#generation;
    const descriptors = await this.#open(generation, tls);
    const next: Listening = { ...before, tls, generation, descriptors };
    this.#listenings.delete(before);
    this.#listenings.add(next);
    deal(next);
    this.#current = next;
    void this.#hosts.retire(before.generation);
  }

  /** An app of each shard; without those that went while the others opened theirs. */
  async #open(generation: number, tls: TlsFiles | null): Promise<Map<number, number>> {
    const before = new Map(this.#departures);
    const opened = await this.#hosts.open(generation, tls);
    return new Map([...opened].filter(([shard]) => this.#departures.get(shard) === before.get(shard)));
  }

  /** A shard that was restarted takes connections again, once it has opened its app. */
  async addShard(shard: number, open: (generation: number, tls: TlsFiles | null) => Promise<number>): Promise<void> {
    const { generation, tls } = this;
    const departures = this.#departures.get(shard);
    const descriptor = await open(generation, tls);
    if (this.#departures.get(shard) !== departures) return;
    // Another certificate was taken up meanwhile: this app has the old one.
    if (this.#current?.generation !== generation) {
      await this.addShard(shard, open);
      return;
    }
    this.#current.descriptors.set(shard, descriptor);
    deal(this.#current);
  }

  /** No more connections go to this shard. Must come before its thread ends: a dead child app is a crash of the process. */
  removeShard(shard: number): void {
    this.#departures.set(shard, (this.#departures.get(shard) ?? 0) + 1);
    for (const listening of this.#listenings) if (listening.descriptors.delete(shard)) deal(listening);
  }

  close(): void {
    if (!this.#current) return;
    this.#shut(this.#current);
    this.#current = undefined;
  }

  #end(listening: Listening): void {
    this.#shut(listening);
    void this.#hosts.retire(listening.generation);
  }

  #shut(listening: Listening): void {
    const { app, children, sockets } = listening.acceptor;
    for (const socket of sockets) uws.us_listen_socket_close(socket);
    children.set([]);
    app.close();
    this.#listenings.delete(listening);
  }
}

/** Port 0 asks for any free port; it is chosen once, so that the configuration holds the address that clients use. */
export async function withPort(addr: string): Promise<string> {
  const address = tryParseAddress(addr, { allowPortZero: true });
  if (address?.port !== 0) return addr;
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen({ host: hostsOf(address)[0], port: 0, exclusive: true }, resolve));
  const { port } = probe.address() as AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return formatAddress({ ...address, port });
}

function deal({ acceptor, descriptors }: Listening): void {
  acceptor.children.set([...descriptors.values()]);
}

function newAcceptor(tls: TlsFiles | null): TemplatedApp & AcceptorApp {
  const app = tls ? uws.SSLApp(tlsAppOptions(tls)) : uws.App();
  // Only while no shard is alive do connections stay with the acceptor.
  app.any('/*', (response) => {
    response.cork(() => {
      response
        .writeStatus('503 Service Unavailable')
        .writeHeader('content-type', 'application/json; charset=utf-8')
        .writeHeader('retry-after', '1');
      response.end(
        JSON.stringify(errorBodyOf({ name: 'overloaded', detail: 'the server is restarting one of its parts' })),
        true,
      );
    });
  });
  return app as TemplatedApp & AcceptorApp;
}

async function bindAll(app: TemplatedApp, address: ServerAddress): Promise<us_listen_socket[]> {
  const [first, ...others] = hostsOf(address);
  const socket = await bind(app, first as string, address.port);
  if (!socket) throw new CodedError('addressUnavailable', `cannot listen on ${formatAddress(address)}`);
  const sockets = [socket];
  for (const host of others) {
    // A machine without IPv6 still has a localhost; where somebody else has it, `mustBeFree` has said so.
    const other = await bind(app, host, address.port);
    if (other) sockets.push(other);
  }
  return sockets;
}

function bind(app: TemplatedApp, host: string, port: number): Promise<us_listen_socket | false> {
  return new Promise((resolve) => {
    app.listen(host, port, resolve);
  });
}

function hostsOf({ host }: ServerAddress): string[] {
  return host === 'localhost' ? ['127.0.0.1', '::1'] : [host];
}

const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** Both may be bound at the same time only by us, with SO_REUSEPORT. */
function overlaps(host: string, other: string): boolean {
  return host === other || WILDCARDS.has(host) || WILDCARDS.has(other);
}

/**
 * uWS binds with SO_REUSEPORT, and so would share a port with another server of the same user without an error. A bind
 * without it tells whether the address is free; of hosts that overlap with those of `ours` it would tell of ourselves.
 */
async function mustBeFree(address: ServerAddress, ours: ServerAddress | undefined): Promise<void> {
  const kept = ours?.port === address.port ? hostsOf(ours) : [];
  const [first, ...others] = hostsOf(address);
  for (const host of [first as string, ...others]) {
    if (kept.some((own) => overlaps(own, host))) continue;
    const code = await bindFault(host, address.port);
    if (code === undefined || (host !== first && ABSENT.has(code))) continue;
    throw new CodedError('addressUnavailable', `cannot listen on ${formatAddress(address)}: ${REASONS[code] ?? code}`);
  }
}

/** Of a host that the machine does not have. */
const ABSENT: ReadonlySet<string> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL']);
const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'it is in use',
  EACCES: 'not permitted',
  EADDRNOTAVAIL: 'this machine has no such address',
};

/** The code of the error, or undefined. */
async function bindFault(host: string, port: number): Promise<string | undefined> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ host, port, exclusive: true }, resolve);
    });
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  } finally {
    await new Promise((resolve) => probe.close(resolve));
  }
}
