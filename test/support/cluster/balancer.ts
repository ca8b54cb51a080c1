/** A small load balancer before the servers of a cluster, as an operator has one. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { type Member, readyz, type ServerCluster } from './server-cluster.ts';

const LOOK_MS = 250;

/** Gives each connection to the next server that says that it is ready. */
export class Balancer {
  readonly #cluster: ServerCluster;
  readonly #server: Server;
  readonly #timer: NodeJS.Timeout;
  readonly #sockets = new Set<Socket>();
  #ready: readonly Member[];
  #turn = 0;

  constructor(cluster: ServerCluster) {
    this.#cluster = cluster;
    this.#ready = cluster.members;
    this.#server = createServer((socket) => this.#pass(socket, this.#ready.length));
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
  }

  listen(): Promise<string> {
    return new Promise((resolve) => {
      this.#server.listen(0, '127.0.0.1', () =>
        resolve(`http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`),
      );
    });
  }

  close(): void {
    clearInterval(this.#timer);
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #look(): Promise<void> {
    const { members } = this.#cluster;
    const views = await Promise.all(members.map((member) => readyz(member)));
    this.#ready = members.filter((_, i) => views[i] && views[i]?.role !== 'catching-up');
  }

  #pass(client: Socket, attempts: number): void {
    this.#hold(client);
    const member = this.#ready[this.#turn++ % Math.max(1, this.#ready.length)];
    if (!member || attempts === 0) {
      client.destroy();
      return;
    }
    const { hostname, port } = new URL(member.server.address);
    const server = connect({ host: hostname, port: Number(port) });
    this.#hold(server);
    // Nothing was read of the client before: the next server can have all of it.
    const tryNext = (): void => this.#pass(client, attempts - 1);
    server.once('error', tryNext);
    server.once('connect', () => {
      server.off('error', tryNext);
      server.pipe(client).pipe(server);
      client.once('close', () => server.destroy());
      server.once('close', () => client.destroy());
    });
  }

  #hold(socket: Socket): void {
    if (this.#sockets.has(socket)) return;
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('close', () => this.#sockets.delete(socket));
  }
}
