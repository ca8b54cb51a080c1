/**
 * Prometheus beside us, as Debian packages it: the same measures by remote write (its receiver is behind a flag since 2.33), the same
 * questions. It writes a log ahead and compacts blocks of two hours as time passes in the samples; what it holds in
 * memory is counted as the block that it would become (a snapshot).
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { freePort } from '../harness/peer-process.ts';
import { endsWithUs } from '../load/children.ts';
import { METRICS, type Measure, nodeName } from './measures.ts';
import { labelsOf, seriesOf, snappyOf } from './remote-write.ts';
import { type Answer, ask, folderBytes, type SeriesPeer, untilReady } from './series-peer.ts';

const SAMPLES_PER_CALL = 5_000;
const HEADERS = {
  'content-type': 'application/x-protobuf',
  'content-encoding': 'snappy',
  'x-prometheus-remote-write-version': '0.1.0',
};

export class Prometheus implements SeriesPeer {
  readonly name = 'prometheus';
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #port: number;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #labels = new Map<number, readonly Uint8Array[]>();
  #samples: Uint8Array[] = [];

  static async tryStart(folder: string): Promise<Prometheus | undefined> {
    if (spawnSync('prometheus', ['--version']).error) return undefined;
    mkdirSync(folder, { recursive: true });
    const config = join(folder, 'prometheus.yml');
    writeFileSync(config, 'global:\n  scrape_interval: 1h\n');
    const port = await freePort();
    const args = [`--config.file=${config}`, `--web.listen-address=127.0.0.1:${port}`, '--log.level=error'];
    args.push(`--storage.tsdb.path=${join(folder, 'data')}`, '--storage.tsdb.retention.time=1y');
    args.push('--web.enable-remote-write-receiver', '--web.enable-admin-api');
    const child = endsWithUs(spawn('prometheus', args, { stdio: 'ignore' }));
    const prometheus = new Prometheus(child, join(folder, 'data'), port);
    await untilReady(prometheus.name, child, () => prometheus.#call('GET', '/-/ready', ''));
    return prometheus;
  }

  private constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child;
    this.pid = child.pid as number;
    this.#folder = folder;
    this.#port = port;
  }

  async add({ node, timeMs, values }: Measure): Promise<void> {
    let labels = this.#labels.get(node);
    if (!labels) {
      labels = METRICS.map((metric) =>
        labelsOf([
          ['__name__', metric],
          ['node', nodeName(node)],
        ]),
      );
      this.#labels.set(node, labels);
    }
    for (let i = 0; i < METRICS.length; i++)
      this.#samples.push(seriesOf(labels[i] as Uint8Array, timeMs, values[i] as number));
    if (this.#samples.length >= SAMPLES_PER_CALL) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#samples.length === 0) return;
    const body = snappyOf(Buffer.concat(this.#samples));
    this.#samples = [];
    const { status } = await this.#call('POST', '/api/v1/write', body, HEADERS);
    if (status !== 204 && status !== 200) throw new Error(`the remote write answered ${status}`);
  }

  /** It compacts when it sees fit: there is nothing to ask for. */
  async settle(): Promise<void> {}

  async bytes(): Promise<number> {
    const { status } = await this.#call('POST', '/api/v1/admin/tsdb/snapshot', '');
    if (status !== 200) throw new Error(`the snapshot answered ${status}`);
    const folder = join(this.#folder, 'snapshots');
    const bytes = folderBytes(folder);
    rmSync(folder, { recursive: true, force: true });
    return bytes;
  }

  query(metric: string, node: number, fromMs: number, toMs: number, stepSeconds: number): Promise<Answer> {
    const query = encodeURIComponent(`avg_over_time(${metric}{node="${nodeName(node)}"}[${stepSeconds}s])`);
    return this.#call(
      'GET',
      `/api/v1/query_range?query=${query}&start=${fromMs / 1000}&end=${toMs / 1000}&step=${stepSeconds}`,
      '',
    );
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }

  #call(
    method: string,
    path: string,
    body: string | Uint8Array,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    return ask(this.#agent, this.#port, method, path, body, headers);
  }
}
