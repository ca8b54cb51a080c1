/**
 * The listening sockets, on main. An acceptor takes connections and hands each to a shard's app. A change is made so that
 * nobody is turned away who should be served:
 *
 *   certificate  the shards open apps with the new pair; the acceptor swaps the apps it hands to; the socket stays
 *   address      the new socket is bound first, then the old one is closed, then the old apps end when idle
 *
 * The acceptor must be of its children's kind: uWS 20.51.4 adopts a socket with the size of the acceptor's kind, and a
 * plain acceptor with TLS children writes beyond the socket's memory (seen with valgrind). So a change of scheme is a
 * change of acceptor.
 */
import { type AddressInfo, createServer } from 'node:net';
import { CodedError, errorBodyOf } from '../base/errors.ts';
import { formatAddress, type ServerAddress, tryParseAddress } from '../protocol/address.ts';
import type { TlsFiles } from './services.ts';
import { type TemplatedApp, type us_listen_socket, uws } from './uws.ts';

/** The shards as the listener needs them. */
export interface AppHosts {
  /** Opens an app on every live shard; descriptors by shard. */
  open(generation: number, tls: TlsFiles | null): Promise<ReadonlyMap<number, number>>;
  retire(generation: number): Promise<void>;
}

interface Acceptor {
  readonly app: TemplatedApp & {
    addChildAppDescriptor(descriptor: number): void;
    removeChildAppDescriptor(descriptor: number): void;
  };
  readonly sockets: readonly us_listen_socket[];
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
    if (!before || !overlaps(before.address, address)) await mustBeFree(address);
    const generation = ++this.#generation;
    const descriptors = new Map(await this.#hosts.open(generation, tls));
    const app = newAcceptor(tls);
    for (const descriptor of descriptors.values()) app.addChildAppDescriptor(descriptor);
    let sockets: us_listen_socket[];
    try {
      sockets = await bindAll(app, address);
    } catch (error) {
      app.close();
      void this.#hosts.retire(generation);
      throw error;
    }
    const next: Listening = {
      address,
      tls,
      generation,
      acceptor: { app, sockets },
      descriptors,
    };
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
    const descriptors = new Map(await this.#hosts.open(generation, tls));
    const { app } = before.acceptor;
    for (const descriptor of descriptors.values()) app.addChildAppDescriptor(descriptor);
    for (const descriptor of before.descriptors.values()) app.removeChildAppDescriptor(descriptor);
    this.#current = { ...before, tls, generation, descriptors };
    void this.#hosts.retire(before.generation);
  }

  /** A shard that was restarted takes connections again. */
  addShard(shard: number, descriptor: number): void {
    this.#current?.acceptor.app.addChildAppDescriptor(descriptor);
    this.#current?.descriptors.set(shard, descriptor);
  }

  /** No more connections go to this shard. Must come before its thread ends. */
  removeShard(shard: number): void {
    const descriptor = this.#current?.descriptors.get(shard);
    if (descriptor === undefined) return;
    this.#current?.acceptor.app.removeChildAppDescriptor(descriptor);
    this.#current?.descriptors.delete(shard);
  }

  close(): void {
    if (!this.#current) return;
    const { acceptor, descriptors } = this.#current;
    for (const socket of acceptor.sockets) uws.us_listen_socket_close(socket);
    for (const descriptor of descriptors.values()) acceptor.app.removeChildAppDescriptor(descriptor);
    acceptor.app.close();
    this.#current = undefined;
  }

  #end({ acceptor, descriptors, generation }: Listening): void {
    for (const socket of acceptor.sockets) uws.us_listen_socket_close(socket);
    for (const descriptor of descriptors.values()) acceptor.app.removeChildAppDescriptor(descriptor);
    acceptor.app.close();
    void this.#hosts.retire(generation);
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

function newAcceptor(tls: TlsFiles | null): Acceptor['app'] {
  const app = tls ? uws.SSLApp({ cert_file_name: tls.certFile, key_file_name: tls.keyFile }) : uws.App();
  // Only while no shard is alive do connections stay with the acceptor.
  app.any('/*', (response) => {
    response.cork(() => {
      response
        .writeStatus('503 Service Unavailable')
        .writeHeader('content-type', 'application/json; charset=utf-8')
        .writeHeader('retry-after', '1');
      response.end(
        JSON.stringify(errorBodyOf({ name: 'overloaded', detail: 'the server restarts a part of itself' })),
        true,
      );
    });
  });
  return app as Acceptor['app'];
}

async function bindAll(app: TemplatedApp, address: ServerAddress): Promise<us_listen_socket[]> {
  const [first, ...others] = hostsOf(address);
  const socket = await bind(app, first as string, address.port);
  if (!socket) throw new CodedError('addressUnavailable', `cannot listen on ${formatAddress(address)}`);
  const sockets = [socket];
  for (const host of others) {
    // A machine without IPv6 still has a localhost.
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

/** Both may be bound at the same time only by us, with SO_REUSEPORT. */
function overlaps(a: ServerAddress, b: ServerAddress): boolean {
  return a.port === b.port;
}

/**
 * uWS binds with SO_REUSEPORT, and so would share a port with another server of the same user without an error. A bind
 * without it tells whether the address is free.
 */
async function mustBeFree(address: ServerAddress): Promise<void> {
  const [host] = hostsOf(address);
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject);
      probe.listen({ host, port: address.port, exclusive: true }, resolve);
    });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reasons: Readonly<Record<string, string>> = {
      EADDRINUSE: 'it is in use',
      EACCES: 'not permitted',
      EADDRNOTAVAIL: 'this machine has no such address',
    };
    throw new CodedError(
      'addressUnavailable',
      `cannot listen on ${formatAddress(address)}: ${reasons[code ?? ''] ?? code}`,
    );
  } finally {
    await new Promise((resolve) => probe.close(resolve));
  }
}
