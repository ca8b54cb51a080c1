/**
 * Samples that were posted directly: unlike events they are not idempotent, so a call without an answer leaves a doubt.
 * The ledger keeps what is certain apart from what may be, and judges an answer by both.
 */
import type { EpochNs } from '../../src/protocol/timestamp.ts';
import { ExpectedSeries } from './expected-series.ts';

export interface LedgerSample {
  readonly atNs: EpochNs;
  readonly value: number;
}

/** Doubtful samples of one series that are kept. Overflow policy: the series is not compared any more. */
const DOUBTFUL_MAX = 5_000;

export class SampleLedger {
  readonly #certain = new ExpectedSeries();
  readonly #doubtful: LedgerSample[] = [];
  #isLost = false;

  acknowledge(sample: LedgerSample): void {
    this.#certain.add(sample.atNs, sample.value);
  }

  /** Sent, and never answered. */
  doubt(sample: LedgerSample): void {
    if (this.#doubtful.length < DOUBTFUL_MAX) this.#doubtful.push(sample);
    else this.#isLost = true;
  }

  get isComparable(): boolean {
    return !this.#isLost;
  }

  /** What the server has at least. */
  get certain(): ExpectedSeries {
    return this.#certain;
  }

  /** What it has at most. */
  possible(): ExpectedSeries {
    return this.#doubtful.length === 0 ? this.#certain : this.#certain.with(this.#doubtful);
  }
}
