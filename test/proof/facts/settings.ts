/** Settings that are changed together: both changes are there, or neither; each is in the history. */
import type { Api } from '../../support/api.ts';
import { type Facts, isTaken, Register } from './fact.ts';

export class SettingFacts implements Facts {
  readonly name = 'settings';
  readonly #value = new Register<number>();
  #next = 0;

  get acknowledged(): number {
    return this.#value.acknowledged;
  }

  async step(api: Api): Promise<void> {
    const value = ++this.#next;
    this.#value.begin(value);
    const kvMap = { 'job.customTags': `n:${value}`, 'job.diskSizeGB': String(value) };
    if (isTaken(await api.configKv(kvMap), this.name)) this.#value.acknowledge(value);
  }

  async audit(api: Api): Promise<string[]> {
    const { status, json } = await api.get('/api/v1/config');
    if (status !== 200) return [`settings: answered ${status}`];
    if (this.#next === 0) return [];
    const faults: string[] = [];
    const size = json.job.diskSizeGB as number;
    const isFirst = json.job.customTags.n === undefined;
    const seen = isFirst ? undefined : Number(json.job.customTags.n);
    if (!isFirst && seen !== size) faults.push(`settings: customTags is of change ${seen}, diskSizeGB of ${size}`);
    const fault = this.#value.fault(seen);
    if (fault !== undefined) faults.push(`settings: diskSizeGB ${fault}`);
    const history = (await api.get('/api/v1/config/history')).json as { key: string; new: unknown }[];
    const isRecorded = history.some(({ key, new: to }) => key === 'job.diskSizeGB' && to === seen);
    if (!isFirst && !isRecorded) faults.push(`settings: change ${seen} is not in the history`);
    return faults;
  }
}
