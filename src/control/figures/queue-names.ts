/** Which queues `/metrics` lists by name. A queue keeps its name, or `_other`, for the life of the process. */

/** Contract section 13. */
const NAMED_MAX = 200;
export const OTHER = '_other';

export class QueueNames {
  readonly #named = new Set<string>();
  readonly #max: number;

  constructor(max = NAMED_MAX) {
    this.#max = max;
  }

  /** The first queues that are asked for get their names. */
  labelOf(queue: string): string {
    if (this.#named.has(queue)) return queue;
    if (queue === '' || this.#named.size >= this.#max) return OTHER;
    this.#named.add(queue);
    return queue;
  }
}
