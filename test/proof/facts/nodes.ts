/** A node that registers with ever new facts, beats, leaves and comes back. */
import type { Api } from '../../support/api.ts';
import { type Facts, isTaken, REFUSALS, Register } from './fact.ts';

const GONE = 'deregistered';

export class NodeFacts implements Facts {
  readonly name: string;
  readonly #id: string;
  readonly #state = new Register<string | undefined>();
  #steps = 0;

  constructor(number: number) {
    this.name = `node ${number}`;
    this.#id = `proof-node-${number}`;
  }

  get acknowledged(): number {
    return this.#state.acknowledged;
  }

  async step(api: Api): Promise<void> {
    const step = this.#steps++;
    if (step % 10 === 9) {
      this.#state.begin(GONE);
      const answer = await api.delete(`/api/v1/node/${this.#id}`);
      // A node that an earlier, broken call has removed already.
      if (answer.status === 404 || isTaken(answer, this.name)) this.#state.acknowledge(GONE);
    } else if (step % 3 === 2) {
      const answer = await api.post(`/api/v1/node/${this.#id}/heartbeat`, { metrics: { cpuPercent: step } });
      if (answer.status !== 404 && !REFUSALS.has(answer.status)) isTaken(answer, this.name);
    } else {
      const hostName = `host-${step}`;
      this.#state.begin(hostName);
      if (isTaken(await api.put(`/api/v1/node/${this.#id}`, { hostName }), this.name))
        this.#state.acknowledge(hostName);
    }
  }

  async audit(api: Api): Promise<string[]> {
    const { status, json } = await api.get(`/api/v1/node/${this.#id}`);
    if (status !== 200 && status !== 404) return [`${this.name}: answered ${status}`];
    const listed = (await api.get('/api/v1/node')).json as { id: string }[];
    const isListed = listed.some(({ id }) => id === this.#id);
    const seen = status === 404 ? undefined : isListed ? json.hostName : GONE;
    const fault = this.#state.fault(seen);
    return fault === undefined ? [] : [`${this.name}: ${fault}`];
  }
}
