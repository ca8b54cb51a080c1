/** What a machine of `npm run proof` is: it tries to break one kind of promise, and counts what it did. */

export type Counts = Readonly<Record<string, number>>;

export interface MachineOptions {
  readonly seed: number;
  /** How long it goes on: rounds, cases, runs, requests or seconds, as the machine's header says. */
  readonly amount: number;
  readonly say: (text: string) => void;
}

export interface Machine {
  readonly name: string;
  /** The amount of `--short` (0: no part of it), and of the long form unless the command line gives another. */
  readonly short: number;
  readonly long: number;
  /** Throws a `BrokenPromise` for a promise that did not hold. */
  readonly run: (options: MachineOptions) => Promise<Counts>;
}

/** What a machine found. Its message names the promise, what was seen, and the seed. */
export class BrokenPromise extends Error {
  override readonly name = 'BrokenPromise';
}

export function mustHold(faults: readonly string[], where: string): void {
  if (faults.length > 0)
    throw new BrokenPromise(
      `${where}:\n  ${faults
        .slice(0, 6)
        .map((fault) => fault.slice(0, 600))
        .join('\n  ')}`,
    );
}

/** For a test of a machine: its options, quiet. */
export function quietly(amount: number, seed = 1): MachineOptions {
  return { seed, amount, say: () => {} };
}

/** Rejects with the name of what was waited for. */
export async function within<T>(ms: number, what: string, asked: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new BrokenPromise(`waited ${ms} ms for ${what}`)), ms);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
