/**
 * Samples as lines of JSON in small calls (`contest-of-calls.ts`): 501 a call.
 *
 * Measured: processor time a sample with all threads, latency of a call. Excluded: making the bodies, TLS, the client's own
 * processor time, making the series (the warm-up does).
 * Sketch: JSON.parse takes 0.4 µs a line of 110 bytes, a commit some 150 µs a call: 0.3 µs a sample. Budget: 1.5 times VictoriaMetrics.
 */
import type { Scenario } from '../harness/table.ts';
import { contestOfCalls } from './contest-of-calls.ts';
import { jsonLinesOf, NODES_PER_FEW, samplesOf } from './sample-calls.ts';

const LINES = {
  contentType: 'application/x-ndjson',
  bodyOf: (measures: Parameters<typeof samplesOf>[0]) => jsonLinesOf(samplesOf(measures)),
};

export const sampleLines: Scenario = {
  name: 'sample-lines',
  rounds: 5,
  run: (options) => {
    const { smoke } = options;
    return contestOfCalls(LINES, { calls: smoke ? 3 : 800, nodes: smoke ? 5 : NODES_PER_FEW }, options);
  },
};
