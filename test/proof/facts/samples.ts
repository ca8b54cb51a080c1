/** Samples of one series: every acknowledged call counts once, at every level alike; one that was broken off once or not. */
import type { Api } from '../../support/api.ts';
import { until } from '../../support/api.ts';
import { type Facts, isTaken } from './fact.ts';

interface Total {
  readonly count: number;
  readonly sum: number;
}

const SPREAD_MS = 2 * 3_600_000;

export class SampleFacts implements Facts {
  readonly name: string;
  readonly #object: string;
  readonly #nowMs: number;
  #total: Total = { count: 0, sum: 0 };
  #doubtful: Total | undefined;
  #sent = 0;
  acknowledged = 0;

  constructor(number: number, nowMs: number) {
    this.name = `samples ${number}`;
    this.#object = `proof-${number}`;
    this.#nowMs = nowMs;
  }

  async begin(api: Api): Promise<void> {
    const body = { name: 'Proof', description: '', unit: 'count', labels: [], aggregation: 'sum' };
    isTaken(await api.put('/api/v1/metric/metricDef-proof', body), this.name);
  }

  async step(api: Api): Promise<void> {
    // Whether the last one was taken is known from the next audit only: until then nothing else is sent.
    if (this.#doubtful) return;
    const samples = Array.from({ length: 1 + (this.#sent % 4) }, (_, i) => ({
      objectId: this.#object,
      definitionId: 'metricDef-proof',
      time: new Date(this.#nowMs - (((this.#sent + i) * 977_000) % SPREAD_MS)).toISOString(),
      value: this.#sent + i + 1,
    }));
    this.#sent += samples.length;
    const batch = { count: samples.length, sum: samples.reduce((sum, { value }) => sum + value, 0) };
    this.#doubtful = batch;
    const answer = await api.post('/api/v1/metricValue', samples);
    if (!isTaken(answer, this.name)) return;
    this.#total = plus(this.#total, batch);
    this.#doubtful = undefined;
    this.acknowledged += batch.count;
  }

  async audit(api: Api): Promise<string[]> {
    const allowed = this.#doubtful ? [this.#total, plus(this.#total, this.#doubtful)] : [this.#total];
    const isAllowed = (seen: Total): boolean =>
      allowed.some(({ count, sum }) => count === seen.count && sum === seen.sum);
    const ask = (): Promise<Total> => this.#read(api, '1m');
    const fine = await until(ask, isAllowed, this.name, 10_000).catch(ask);
    const coarse = await this.#read(api, '30m');
    const faults: string[] = [];
    if (!isAllowed(fine)) faults.push(`${this.name}: ${show(fine)}, must be ${allowed.map(show).join(' or ')}`);
    if (coarse.sum !== fine.sum || coarse.count !== fine.count)
      faults.push(`${this.name}: ${show(coarse)} at 30m, ${show(fine)} at 1m`);
    this.#total = fine;
    this.#doubtful = undefined;
    return faults;
  }

  async #read(api: Api, interval: string): Promise<Total> {
    // Both ends: without the second, the range would end at what the server takes for now.
    const from = new Date(this.#nowMs - SPREAD_MS - 3_600_000).toISOString();
    const to = new Date(this.#nowMs + 3_600_000).toISOString();
    const ask = async (agg: string): Promise<number> => {
      const path = `/api/v1/metricValue/${this.#object}/metricDef-proof?interval=${interval}&agg=${agg}&start=${from}&end=${to}`;
      const { status, json } = await api.get(path);
      if (status === 404) return 0;
      return (json.points as { value: number }[]).reduce((sum, { value }) => sum + value, 0);
    };
    return { count: await ask('count'), sum: await ask('sum') };
  }
}

const plus = (a: Total, b: Total): Total => ({ count: a.count + b.count, sum: a.sum + b.sum });
const show = ({ count, sum }: Total): string => `${count} samples of ${sum} in all`;
