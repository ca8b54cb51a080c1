/**
 * Counts what was compared and what differs. A read may come a moment before the server has folded what it acknowledged
 * (durable is not the same as visible), so a look that finds a difference looks again, and only what stays is one.
 */
export interface Look {
  /** Things that were compared. */
  readonly compared: number;
  readonly differences: readonly string[];
}

export interface ComparedLine {
  readonly what: string;
  compared: number;
  differences: number;
  /** Looks that were right only at a later try. */
  late: number;
}

const DIFFERENCES_SHOWN_MAX = 20;
/** How long after the last acknowledgement an answer may lag behind it: far above the milliseconds that folding takes. */
const LIVENESS_WAIT_MS = 3_000;
const PAUSE_MS = 250;

export class Comparison {
  readonly lines: ComparedLine[] = [];
  readonly shown: string[] = [];
  readonly #livenessUntilMs: number;
  readonly #pauseMs: number;

  constructor(livenessMs = LIVENESS_WAIT_MS, pauseMs = PAUSE_MS) {
    this.#livenessUntilMs = performance.now() + livenessMs;
    this.#pauseMs = pauseMs;
  }

  get differences(): number {
    return this.lines.reduce((sum, line) => sum + line.differences, 0);
  }

  /** Adds the outcome of the check to the line of that name. A check that throws is a difference too. */
  async check(what: string, look: () => Promise<Look>): Promise<void> {
    const line = this.#lineOf(what);
    let outcome = await attempt(look);
    const wasRight = outcome.differences.length === 0;
    // At least one more look; but once there is plenty to show, looking again only delays the verdict.
    while (outcome.differences.length > 0 && this.shown.length < DIFFERENCES_SHOWN_MAX) {
      const isLast = performance.now() >= this.#livenessUntilMs;
      await new Promise((resolve) => setTimeout(resolve, this.#pauseMs));
      outcome = await attempt(look);
      if (isLast) break;
    }
    line.compared += outcome.compared;
    line.differences += outcome.differences.length;
    if (!wasRight && outcome.differences.length === 0) line.late++;
    const room = DIFFERENCES_SHOWN_MAX - this.shown.length;
    this.shown.push(...outcome.differences.slice(0, room).map((difference) => `${what}: ${difference}`));
  }

  #lineOf(what: string): ComparedLine {
    const known = this.lines.find((line) => line.what === what);
    if (known) return known;
    const line = { what, compared: 0, differences: 0, late: 0 };
    this.lines.push(line);
    return line;
  }
}

async function attempt(look: () => Promise<Look>): Promise<Look> {
  try {
    return await look();
  } catch (error) {
    return { compared: 0, differences: [`cannot be read: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

/** Runs `task` for every item, a few at a time. */
export async function eachOf<T>(items: readonly T[], atATime: number, task: (item: T) => Promise<void>): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < items.length) await task(items[next++] as T);
  };
  await Promise.all(Array.from({ length: Math.min(atATime, items.length) }, work));
}
