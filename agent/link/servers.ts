/**
 * The servers of a cluster, of which any will do: calls go to one of them until it does not answer, or says that it cannot
 * reach the leader (3003). Then the next has its turn. A call that failed is not repeated here: its caller does so, as it
 * does where there is one server only.
 */
import type http from 'node:http';
import type { Client, ClientRequest } from './client.ts';
import type { Reply } from './outcome.ts';
import { numberIn } from './reply.ts';

export interface NamedServer {
  /** Origin and perhaps a path, without a slash at the end. */
  readonly url: string;
  readonly client: Pick<Client, 'call' | 'close' | 'agent'>;
}

const NOT_THE_LEADER = 3003;

export class Servers {
  readonly #servers: readonly NamedServer[];
  readonly #onNext: (url: string) => void;
  #at = 0;

  /** At least one. `onNext` hears of each turn to another server. */
  constructor(servers: readonly NamedServer[], onNext: (url: string) => void = () => {}) {
    this.#servers = servers;
    this.#onNext = onNext;
  }

  /** The server that is asked now. */
  get url(): string {
    return this.#current.url;
  }

  /** Its kept connections, for an upgrade of one of them to a WebSocket. */
  get agent(): http.Agent {
    return this.#current.client.agent;
  }

  async call(request: ClientRequest): Promise<Reply> {
    const asked = this.#current;
    const reply = await asked.client.call(request);
    this.heard(reply, asked.url);
    return reply;
  }

  /** What came of a call to that server, or of a frame over its WebSocket. */
  heard(reply: Reply, url: string): void {
    if (reply.kind === 'answer' && numberIn(reply.json, 'errorCode') !== NOT_THE_LEADER) return;
    const server = this.#servers.find((known) => known.url === url);
    if (server) this.#leave(server);
  }

  close(): void {
    for (const { client } of this.#servers) client.close();
  }

  get #current(): NamedServer {
    return this.#servers[this.#at] as NamedServer;
  }

  /** Several calls may have failed at the same server: they are one reason to leave it. */
  #leave(server: NamedServer): void {
    if (server !== this.#current || this.#servers.length === 1) return;
    this.#at = (this.#at + 1) % this.#servers.length;
    this.#onNext(this.url);
  }
}
