/**
 * The way between workers and server.
 *
 * Fault model. A message may be delayed, lost, doubled, and overtake another; a worker may be cut off for a while, in both
 * directions. Requests are HTTP over TCP in truth, which loses and doubles nothing by itself: a lost message stands for a
 * connection that broke or a client that gave up, a doubled one for a client that tried again without having heard.
 */
import type { Random } from '../../src/base/random.ts';
import type { Agenda } from './agenda.ts';
import type { NetworkFaults } from './swarm.ts';

export class Network {
  readonly #agenda: Agenda;
  readonly #random: Random;
  #faults: NetworkFaults;
  readonly #cutOff = new Map<string, number>();

  constructor(agenda: Agenda, random: Random, faults: NetworkFaults) {
    this.#agenda = agenda;
    this.#random = random;
    this.#faults = faults;
  }

  /** Runs `arrive` for each copy that gets there. */
  carry(worker: string, arrive: () => void): void {
    const { loss, duplicate, delayMsMax } = this.#faults;
    const copies = this.#random.chance(loss) ? 0 : this.#random.chance(duplicate) ? 2 : 1;
    for (let i = 0; i < copies; i++) {
      this.#agenda.after(0.05 + this.#random.next() * delayMsMax, () => {
        if (!this.isCutOff(worker)) arrive();
      });
    }
  }

  cutOff(worker: string, ms: number): void {
    this.#cutOff.set(worker, Math.max(this.#cutOff.get(worker) ?? 0, this.#agenda.nowMs + ms));
  }

  isCutOff(worker: string): boolean {
    return (this.#cutOff.get(worker) ?? 0) > this.#agenda.nowMs;
  }

  heal(): void {
    this.#cutOff.clear();
    this.#faults = { delayMsMax: Math.min(this.#faults.delayMsMax, 20), loss: 0, duplicate: 0 };
  }
}
