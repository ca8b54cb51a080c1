/** Three real servers over real engines. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Api, until } from '../api.ts';
import { makeFolders, removeFolders, type ServerFolders, ServerProcess, type StartOptions } from '../server-process.ts';
import { Engines } from './engines.ts';

export interface ClusterOptions extends StartOptions {
  /** Three where nothing is said. */
  readonly engines?: 1 | 3;
  /** What one of them gets beside `env`, by its number from 0. */
  readonly envOf?: (number: number) => Readonly<Record<string, string>>;
}

export interface Member {
  readonly number: number;
  readonly folders: ServerFolders;
  server: ServerProcess;
  api: Api;
}

export interface Readyz {
  readonly role: 'leader' | 'follower' | 'catching-up';
  readonly leader: string | null;
  readonly behindMs: number;
}

const LEADER_MS = 60_000;

export class ServerCluster {
  readonly engines: Engines;
  readonly members: Member[] = [];
  readonly #name: string;
  readonly #options: ClusterOptions;
  #joined = 0;

  private constructor(engines: Engines, name: string, options: ClusterOptions) {
    this.engines = engines;
    this.#name = name;
    this.#options = options;
  }

  /** `name` is a word of its own for each that runs at once. */
  static async start(name: string, options: ClusterOptions = {}): Promise<ServerCluster> {
    const cluster = new ServerCluster(await Engines.start(options.engines ?? 3, name), name, options);
    try {
      await Promise.all([0, 1, 2].map(() => cluster.#add()));
      await cluster.leader();
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** The one that leads, once one does and the others know it. */
  async leader(): Promise<Member> {
    const isKnown = (views: readonly (Readyz | null)[]): boolean => {
      const live = views.filter((view) => view !== null);
      const [url] = live.filter(({ role }) => role === 'leader').map(({ leader }) => leader);
      return url !== undefined && live.every((view) => view.leader === url && view.role !== 'catching-up');
    };
    const views = await until(
      () => Promise.all(this.members.map((member) => readyz(member))),
      isKnown,
      'one server to lead, and the others to follow it',
      LEADER_MS,
    );
    return this.members[views.findIndex((view) => view?.role === 'leader')] as Member;
  }

  async followers(): Promise<Member[]> {
    const leader = await this.leader();
    return this.members.filter((member) => member !== leader && !member.server.hasExited);
  }

  get name(): string {
    return this.#name;
  }

  /** In the folders, and at the address, that it had; `program` where another version is to run there. */
  async restart(member: Member, program?: string): Promise<void> {
    member.api.close();
    member.server = await this.#startIn(member.number, member.folders, member.server.address, program);
    member.api = new Api(member.server.address);
  }

  async stop(): Promise<void> {
    for (const { server, api, folders } of this.members) {
      api.close();
      await server.kill('SIGKILL');
      await removeFolders(folders);
    }
    await this.engines.stop();
  }

  /** One more server, in folders that another one has left. */
  async join(folders: ServerFolders): Promise<Member> {
    const number = this.#joined++;
    const server = await this.#startIn(number, folders);
    const member = { number, folders, server, api: new Api(server.address) };
    this.members.push(member);
    return member;
  }

  async #add(): Promise<void> {
    await this.join(await makeFolders());
  }

  #startIn(number: number, folders: ServerFolders, addr?: string, program?: string): Promise<ServerProcess> {
    const { args = [], envOf, engines: _, ...shared } = this.#options;
    const options = {
      ...shared,
      ...(program === undefined ? {} : { program }),
      env: { ...shared.env, ...envOf?.(number) },
    };
    const own = ['--replicate', this.engines.addresses.join(','), '--cluster', this.#name, '--shards', '1'];
    return ServerProcess.start({ ...options, folders, ...(addr ? { addr } : {}), args: [...own, ...args] });
  }
}

/** By which the others know the server in these folders. */
export function replicaIdIn({ data }: ServerFolders): string {
  return readFileSync(join(data, 'replica-id'), 'utf8').trim();
}

/** Null where the server does not answer: it has ended, or exchanges its parts. */
export async function readyz({ api, server }: Member): Promise<Readyz | null> {
  if (server.hasExited) return null;
  return api.get('/readyz').then(
    ({ json }) => json as Readyz,
    () => null,
  );
}
