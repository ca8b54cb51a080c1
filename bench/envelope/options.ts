/** What every climb is told. */
export interface EnvelopeOptions {
  /** Tiny sizes: the figures mean nothing. */
  readonly smoke: boolean;
  /** How long each rate is measured. */
  readonly seconds: number;
  readonly sizes: Sizes;
  readonly say: (text: string) => void;
}

export interface Sizes {
  readonly nodes: readonly number[];
  readonly jobs: readonly number[];
  readonly series: readonly number[];
  readonly readers: readonly number[];
}

/** What ten minutes allow, and what an hour does. */
export const LEAN: Sizes = {
  nodes: [10_000, 50_000, 100_000, 150_000],
  jobs: [10_000, 100_000, 500_000],
  series: [10_000, 100_000, 400_000],
  readers: [100, 500, 1_500, 4_000],
};
export const FULL: Sizes = {
  nodes: [10_000, 100_000, 300_000, 1_000_000],
  jobs: [10_000, 100_000, 300_000, 1_000_000],
  series: [10_000, 100_000, 300_000, 900_000],
  readers: [100, 1_000, 2_000, 4_000],
};
