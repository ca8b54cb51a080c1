/** What is written into a server of any version: of everything that the first one took, something. */
import type { Api } from '../../support/api.ts';

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

export interface Written {
  readonly start: string;
  readonly end: string;
}

/** `T0` is the newest time of what `writeContent` writes. */
export class Content {
  readonly #api: Api;
  readonly #t0: number;

  constructor(api: Api, t0: number) {
    this.#api = api;
    this.#t0 = t0;
  }

  /** Round days around all samples, so that every level has the same. */
  get range(): Written {
    const day = Math.floor(this.#t0 / DAY) * DAY;
    return { start: new Date(day - 7 * DAY).toISOString(), end: new Date(day + 2 * DAY).toISOString() };
  }

  async first(): Promise<void> {
    for (let i = 0; i < 6; i++) {
      const instance = { instanceId: `i-${i}`, instanceType: 'm5.large', payType: i % 2 === 0 ? 'Spot' : 'OnDemand' };
      const prices = { pricePerHour: 0.2 + i / 10, onDemandPricePerHour: 1 };
      await this.#ok('PUT', `/api/v1/node/n-${i}`, {
        hostName: `host-${i}`,
        cores: 4,
        instance: { ...instance, ...prices },
      });
      await this.#ok('POST', `/api/v1/node/n-${i}/heartbeat`, { metrics: { cpuPercent: 10.5 * i, queueDepth: i } });
    }
    await this.#ok('DELETE', '/api/v1/node/n-5');
    await this.#ok('PUT', '/api/v1/metric/widgets', { name: 'Widgets', unit: 'count', aggregation: 'sum' });
    for (let i = 0; i < 40; i++) await this.#job(i, i * 4_200 * SECOND);
    await this.#samples(300, 1_900 * SECOND);
    await this.#ok('PUT', '/api/v1/configKV', { kvMap: { 'node.ttl': '24h', 'job.customTags': 'owner:me' } });
    await this.#ok('PUT', '/api/v1/configKV', { kvMap: { 'ckpt.ckptInterval': '20m' } });
    const log = Buffer.from('one line\nand another\n'.repeat(50));
    await this.#bytes('/api/v1/nodes/n-1/files/var/log/app.log?offset=0', log);
    await this.#bytes(`/api/v1/nodes/n-1/files/var/log/app.log?offset=${log.byteLength}`, Buffer.from('the end\n'));
  }

  /** What is only in the journal when the server ends soon after. */
  async second(): Promise<void> {
    for (let i = 40; i < 48; i++) await this.#job(i, (i - 40) * 600 * SECOND);
    await this.#samples(40, 11 * SECOND);
    // Those that run are alive when everything is asked for.
    for (let i = 0; i < 5; i++) await this.#ok('POST', `/api/v1/node/n-${i}/heartbeat`, {});
  }

  async #job(i: number, ageMs: number): Promise<void> {
    const at = (second: number): string => new Date(this.#t0 - ageMs - 3_000 * SECOND + second * SECOND).toISOString();
    const node = { nodeOid: `i-${i % 5}`, containerId: `c-${i}` };
    const ends = ['Job-Succeeded', 'Job-Failed', 'Job-Stopped', 'Job-Checkpointing'];
    const events = [
      { timestamp: at(0), eventType: 'Job-Creating', ...node, batchJobId: `batch-${i}` },
      { timestamp: at(2), eventType: 'Volume-Created', volumnId: `vol-${i}` },
      { timestamp: at(5), eventType: 'Volume-Attached', volumnId: `vol-${i}` },
      { timestamp: at(10), eventType: 'Job-Running' },
      { timestamp: at(60), eventType: 'Job-Checkpointing' },
      { timestamp: at(65.25), eventType: i % 7 === 0 ? 'Job-CheckpointFailed' : 'Job-CheckpointSucceeded' },
      { timestamp: at(100), eventType: 'Job-Restoring', nodeOid: `i-${(i + 1) % 5}`, containerId: `c-${i}-2` },
      { timestamp: at(107), eventType: 'Job-RestoreSucceeded' },
      { timestamp: at(200 + i), eventType: ends[i % ends.length] as string },
    ];
    const job = { id: `job:${i}`, queueName: ['red', 'blue', 'night shift'][i % 3], name: `name ${i}`, cpus: 2 };
    const reply = await this.#ok('POST', '/api/v1/job', [{ ...job, events: i % 10 === 9 ? [] : events }]);
    if (reply.rejected.length > 0) throw new Error(`a job was rejected: ${JSON.stringify(reply.rejected)}`);
  }

  async #samples(count: number, everyMs: number): Promise<void> {
    const samples = Array.from({ length: count }, (_, i) => ({
      objectId: i % 2 === 0 ? 'custom-a' : 'queue-red',
      definitionId: 'metricDef-widgets',
      time: new Date(this.#t0 - i * everyMs).toISOString(),
      value: 0.1 * i - 7,
    }));
    const reply = await this.#ok('POST', '/api/v1/metricValue', samples);
    if (reply.accepted !== count) throw new Error(`of ${count} samples these were taken: ${JSON.stringify(reply)}`);
  }

  // biome-ignore lint/suspicious/noExplicitAny: a reply is what the version gives.
  async #ok(method: string, path: string, body?: unknown): Promise<any> {
    const { status, json, text } = await this.#api.request(method, path, { body });
    if (status !== 200) throw new Error(`${method} ${path} was answered ${status}: ${text.slice(0, 300)}`);
    return json;
  }

  async #bytes(path: string, body: Buffer): Promise<void> {
    const headers = { 'content-type': 'application/octet-stream' };
    const { status, text } = await this.#api.request('POST', path, { body, headers });
    if (status !== 200) throw new Error(`POST ${path} was answered ${status}: ${text.slice(0, 300)}`);
  }
}
