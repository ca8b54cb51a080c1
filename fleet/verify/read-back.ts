/** Reads answers for the comparison, through restarts of the server too. */

import { epochMsOf, mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import { type Client, type Reply, segment } from '../wire/client.ts';
import { jsonElements } from '../wire/json-elements.ts';
import { type Persistence, persist } from '../wire/persist.ts';

export interface SeriesQuestion {
  readonly objectId: string;
  readonly metric: string;
  readonly interval: string;
  /** The definition's own where absent. */
  readonly aggregate?: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface AnsweredPoint {
  readonly startMs: number;
  readonly value: unknown;
}

export class ReadBack {
  readonly #client: Client;
  readonly #persistence: Persistence;

  constructor(client: Client, persistence: Persistence) {
    this.#client = client;
    this.#persistence = persistence;
  }

  get(path: string, accepted: readonly number[] = [200]): Promise<Reply> {
    return persist(`GET ${path}`, () => this.#client.request('GET', path), this.#persistence, accepted);
  }

  async json(path: string): Promise<unknown> {
    return JSON.parse((await this.get(path)).body.toString()) as unknown;
  }

  elements(path: string): AsyncGenerator<unknown> {
    return jsonElements(this.#client.stream(path));
  }

  bytes(path: string): AsyncGenerator<Buffer> {
    return this.#client.stream(path);
  }

  /** Undefined where the server knows no such series. Throws where the answer has not the form of one. */
  async series({
    objectId,
    metric,
    interval,
    aggregate,
    fromMs,
    toMs,
  }: SeriesQuestion): Promise<AnsweredPoint[] | undefined> {
    const query = new URLSearchParams({ interval, start: iso(fromMs), end: iso(toMs) });
    if (aggregate !== undefined) query.set('agg', aggregate);
    const path = `/api/v1/metricValue/${segment(objectId)}/metricDef-${segment(metric)}?${query}`;
    const { status, body } = await this.get(path, [200, 404]);
    if (status === 404) return undefined;
    const { id, points } = JSON.parse(body.toString()) as { id: string; points: { time: string; value: unknown }[] };
    if (id !== `metricDef-${metric}.${objectId}`) throw new Error(`${path} answered the series ${id}`);
    const answered = points.map(({ time, value }) => ({ startMs: epochMsOf(mustParseTimestamp(time)), value }));
    if (answered.some(({ startMs }, i) => startMs <= (answered[i - 1]?.startMs ?? Number.NEGATIVE_INFINITY))) {
      throw new Error(`the points of ${path} do not ascend`);
    }
    return answered;
  }
}

export function iso(ms: number): string {
  return new Date(ms).toISOString();
}
