/** Clients of a cluster, who go on with the next server where one fails them, and who ask one server for what all have. */
import { type Answer, Api, type RequestOptions } from '../support/api.ts';
import type { Member, ServerCluster } from '../support/cluster/server-cluster.ts';

const PAUSE_MS = 20;
const PROBE_MS = 2_000;

/** Calls go to one server until it fails or refuses, then to the next. A call is not repeated here. */
export class AnyServerApi extends Api {
  readonly #cluster: ServerCluster;
  #at: number;

  constructor(cluster: ServerCluster, first: number) {
    super(memberAt(cluster, first).server.address);
    this.#cluster = cluster;
    this.#at = first;
  }

  override async request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    try {
      const answer = await memberAt(this.#cluster, this.#at).api.request(method, path, options);
      if (answer.status === 503) this.#at++;
      return answer;
    } catch (error) {
      this.#at++;
      throw error;
    }
  }
}

/** Reads what this server has when it has everything that was acknowledged anywhere. */
export class ConsistentApi extends Api {
  override request(method: string, path: string, options: RequestOptions = {}): Promise<Answer> {
    const consistent = `${path}${path.includes('?') ? '&' : '?'}consistent=true`;
    return super.request(method, method === 'GET' ? consistent : path, options);
  }
}

export interface Gap {
  readonly what: string;
  readonly ms: number;
}

/** Writes at every server all the time, and knows how long nobody acknowledged anything. */
export class WriteProbe {
  readonly #cluster: ServerCluster;
  readonly #loops: Promise<void>[];
  readonly #strokes: { readonly what: string; readonly atMs: number }[] = [];
  /** Milliseconds of `performance.now()`, in order. */
  readonly #acknowledged: number[] = [performance.now()];
  #isOn = true;
  #written = 0;

  constructor(cluster: ServerCluster) {
    this.#cluster = cluster;
    this.#loops = cluster.members.map((_, i) => this.#write(i));
  }

  get acknowledged(): number {
    return this.#acknowledged.length - 1;
  }

  /** Something fails now. */
  struck(what: string): void {
    this.#strokes.push({ what, atMs: performance.now() });
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await Promise.all(this.#loops);
  }

  /** For each stroke, the longest time without an acknowledged write from then until the next one. */
  gaps(): Gap[] {
    const endMs = performance.now();
    return this.#strokes.map(({ what, atMs }, i) => {
      const untilMs = this.#strokes[i + 1]?.atMs ?? endMs;
      const times = this.#acknowledged.filter((ms) => ms > atMs && ms < untilMs);
      const marks = [atMs, ...times, ...(times.length === 0 ? [untilMs] : [])];
      return { what, ms: Math.max(...marks.slice(1).map((ms, k) => ms - (marks[k] as number))) };
    });
  }

  async #write(i: number): Promise<void> {
    while (this.#isOn) {
      const { server } = memberAt(this.#cluster, i);
      try {
        const { status } = await fetch(`${server.address}/api/v1/node/probe-${i}`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ hostName: `host-${++this.#written}` }),
          signal: AbortSignal.timeout(PROBE_MS),
        });
        if (status === 200) this.#acknowledged.push(performance.now());
      } catch {
        // It is away: that is what is measured.
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

function memberAt({ members }: ServerCluster, i: number): Member {
  return members[i % members.length] as Member;
}
