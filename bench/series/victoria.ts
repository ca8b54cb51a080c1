/** VictoriaMetrics beside us, as Debian packages it: the same measures by its Prometheus text import, the same questions. */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { Agent } from 'node:http';
import { freePort, spawnPinned } from '../harness/peer-process.ts';
import { endsWithUs } from '../load/children.ts';
import { METRICS, type Measure, nodeName } from './measures.ts';
import { type Answer, ask, folderBytes, type SeriesPeer, untilReady } from './series-peer.ts';

const LINES_PER_CALL = 20_000;

export class Victoria implements SeriesPeer {
  readonly name = 'victoria-metrics';
  readonly pid: number;
  readonly #child: ChildProcess;
  readonly port: number;
  readonly #folder: string;
  readonly #agent = new Agent({ keepAlive: true });
  #lines: string[] = [];

  static async tryStart(folder: string): Promise<Victoria | undefined> {
    if (spawnSync('victoria-metrics', ['-version']).error) return undefined;
    const port = await freePort();
    const args = [`-storageDataPath=${folder}`, `-httpListenAddr=127.0.0.1:${port}`, '-retentionPeriod=1y'];
    const child = endsWithUs(
      spawnPinned('victoria-metrics', [...args, '-search.latencyOffset=0s'], { stdio: 'ignore' }),
    );
    const victoria = new Victoria(child, folder, port);
    await untilReady(victoria.name, child, () => victoria.get('/health'));
    return victoria;
  }

  private constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child;
    this.pid = child.pid as number;
    this.#folder = folder;
    this.port = port;
  }

  async add({ node, timeMs, values }: Measure): Promise<void> {
    const name = nodeName(node);
    for (let i = 0; i < METRICS.length; i++) this.#lines.push(`${METRICS[i]}{node="${name}"} ${values[i]} ${timeMs}`);
    if (this.#lines.length >= LINES_PER_CALL) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#lines.length === 0) return;
    const body = `${this.#lines.join('\n')}\n`;
    this.#lines = [];
    const { status } = await this.#call('POST', '/api/v1/import/prometheus', body);
    if (status !== 204) throw new Error(`the import answered ${status}`);
  }

  /** Everything is on disk, in parts that are merged. */
  async settle(): Promise<void> {
    await this.get('/internal/force_flush');
    await this.get('/internal/force_merge');
    // The merge runs by itself: it has ended when the size no longer changes.
    for (let before = -1, steady = 0; steady < 3; ) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      const now = folderBytes(this.#folder);
      steady = now === before ? steady + 1 : 0;
      before = now;
    }
  }

  async bytes(): Promise<number> {
    return folderBytes(this.#folder);
  }

  get(path: string): Promise<Answer> {
    return this.#call('GET', path, '');
  }

  query(metric: string, node: number, fromMs: number, toMs: number, stepSeconds: number): Promise<Answer> {
    const query = encodeURIComponent(`avg_over_time(${metric}{node="${nodeName(node)}"}[${stepSeconds}s])`);
    return this.get(
      `/api/v1/query_range?query=${query}&start=${fromMs / 1000}&end=${toMs / 1000}&step=${stepSeconds}s&nocache=1`,
    );
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    this.#child.kill('SIGTERM');
    await once(this.#child, 'exit');
  }

  #call(method: string, path: string, body: string): Promise<Answer> {
    return ask(this.#agent, this.port, method, path, body);
  }
}
