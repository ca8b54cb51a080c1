/**
 * Budgets of requests by address and by token, and a bound of connections (all off by default). A caller beyond his budget
 * gets 429 with the time after which to come back; a connection beyond the bound gets 503 and is closed.
 */
import { SharedBudget } from '../../base/budget/shared-budget.ts';
import type { Config } from '../../protocol/config/config.ts';

export interface SharedLimits {
  readonly buffer: SharedArrayBuffer;
  readonly salt: string;
}

export class Limits {
  readonly #budget: SharedBudget;
  readonly #shardCount: number;
  readonly #nowUs: () => bigint;
  #limits: Config['security']['limits'] = { requestsPerAddress: 0, requestsPerToken: 0, connections: 0 };
  #connections = 0;

  /** `nowUs` must be the same clock on every thread. */
  constructor({ buffer, salt }: SharedLimits, shardCount: number, nowUs: () => bigint) {
    this.#budget = new SharedBudget(buffer, salt);
    this.#shardCount = shardCount;
    this.#nowUs = nowUs;
  }

  update(config: Config): void {
    this.#limits = config.security.limits;
  }

  /** Whether a request needs a look at its address or at the number of connections. */
  get isOn(): boolean {
    return this.#limits.requestsPerAddress > 0 || this.#limits.connections > 0;
  }

  /** The acceptor deals connections out evenly, so each shard enforces its part of the limit. */
  get isMassSilent(): boolean {
    const { connections } = this.#limits;
    return connections > 0 && this.#connections > Math.ceil(connections / this.#shardCount);
  }

  count(change: number): void {
    this.#connections += change;
  }

  /** Milliseconds to wait; 0 where the request is granted. */
  takeAddress(address: string): number {
    const { requestsPerAddress } = this.#limits;
    return requestsPerAddress > 0 ? this.#budget.take(`a${address}`, requestsPerAddress, this.#nowUs()) : 0;
  }

  /** By what the header holds, so that it costs no second look at the token. */
  takeToken(authorization: string): number {
    const { requestsPerToken } = this.#limits;
    return requestsPerToken > 0 ? this.#budget.take(`t${authorization}`, requestsPerToken, this.#nowUs()) : 0;
  }
}
