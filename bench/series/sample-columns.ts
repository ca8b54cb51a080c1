/**
 * Samples as columns in MessagePack in large calls (`contest-of-calls.ts`): 3,333 nodes with three metrics each, 9,999 samples.
 *
 * Measured: processor time a sample with all threads, latency of a call. Excluded: making the bodies, TLS, the client's own
 * processor time, making the series (the warm-up does).
 * Sketch: 9 bytes a value to decode, 24 to journal and to fold: 0.3 µs a sample. Budget: VictoriaMetrics.
 */
import { pack } from 'msgpackr';
import type { Scenario } from '../harness/table.ts';
import { contestOfCalls } from './contest-of-calls.ts';
import { columnsOf } from './sample-calls.ts';

const NODES = 3_333;
const COLUMNS = {
  contentType: 'application/msgpack',
  bodyOf: (measures: Parameters<typeof columnsOf>[0]) => pack(columnsOf(measures)),
};

export const sampleColumns: Scenario = {
  name: 'sample-columns',
  rounds: 5,
  run: (options) => {
    const { smoke } = options;
    return contestOfCalls(COLUMNS, { calls: smoke ? 3 : 100, nodes: smoke ? 5 : NODES }, options);
  },
};
