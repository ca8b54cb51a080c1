/** A receiver of webhooks: it gets every acknowledged event of a queue, each job's in order, a repeated one with its id. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Api } from '../../support/api.ts';
import { until } from '../../support/api.ts';
import type { JobFacts } from './jobs.ts';

const DEADLINE_MS = 60_000;

export class WebhookReceiver {
  readonly #server: http.Server;
  readonly #ids = new Map<string, Set<string>>();
  readonly #firstSeen: string[] = [];
  deliveries = 0;

  private constructor(server: http.Server) {
    this.#server = server;
    server.on('request', (request: http.IncomingMessage, response: http.ServerResponse) => {
      const chunks: Buffer[] = [];
      request.on('error', () => {});
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.#take(Buffer.concat(chunks).toString());
        response.writeHead(204).end();
      });
    });
  }

  static async start(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(http.createServer());
    await new Promise<void>((resolve) => receiver.#server.listen(0, '127.0.0.1', resolve));
    return receiver;
  }

  async subscribe(api: Api, queue: string): Promise<void> {
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
    await api.configKv({ 'security.webhooks.privateTargets': 'true' });
    const { status, text } = await api.put('/api/v1/webhook/proof', {
      url,
      types: ['job.event'],
      queue,
      format: 'cairn',
    });
    if (status !== 200) throw new Error(`the webhook was refused: ${status} ${text}`);
  }

  /** Waits until everything has come that was acknowledged. */
  async audit(api: Api, { told, queue }: JobFacts): Promise<string[]> {
    const faults: string[] = [];
    const missing = (): string[] =>
      told.map(({ job, timestamp }) => `${job} ${timestamp}`).filter((what) => !this.#ids.has(what));
    const arrive = async (): Promise<number> => {
      if (missing().length > 0) await api.post('/api/v1/webhook/proof/replay', {});
      return missing().length;
    };
    await until(arrive, (count) => count === 0, `deliveries of ${queue}`, DEADLINE_MS).catch(() => {
      faults.push(
        `webhook: ${missing().length} of ${told.length} acknowledged events never came, first ${missing()[0]}`,
      );
    });
    const renamed = [...this.#ids].filter(([, ids]) => ids.size > 1);
    if (renamed.length > 0)
      faults.push(`webhook: ${renamed.length} events came with several ids, first ${renamed[0]?.[0]}`);
    const wanted = told.map(({ job, timestamp }) => `${job} ${timestamp}`);
    const acknowledged = new Set(wanted);
    const seen = eventsByJob(this.#firstSeen.filter((what) => acknowledged.has(what)));
    for (const [id, events] of eventsByJob(wanted))
      if (seen.get(id)?.join() !== events.join()) faults.push(`webhook: events of ${id} came out of order`);
    return faults;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #take(text: string): void {
    const { id, data } = JSON.parse(text) as { id: string; data: { job: string; event: { timestamp: string } } };
    const what = `${data.job} ${data.event.timestamp}`;
    this.deliveries++;
    const ids = this.#ids.get(what);
    if (ids) ids.add(id);
    else {
      this.#ids.set(what, new Set([id]));
      this.#firstSeen.push(what);
    }
  }
}

function eventsByJob(all: readonly string[]): Map<string, string[]> {
  const jobs = new Map<string, string[]>();
  for (const what of all) {
    const id = what.split(' ')[0] as string;
    const events = jobs.get(id);
    if (events) events.push(what);
    else jobs.set(id, [what]);
  }
  return jobs;
}
