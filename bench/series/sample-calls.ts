/** Calls of samples as a collector sends them that keeps none back for long: 167 nodes with three metrics each, 501 samples. */
import { METRICS, type Measure, nodeName } from './measures.ts';

export const NODES_PER_FEW = 167;

/** The measures of a call: each of its own, earlier millisecond. */
export function measuresOf(nodes: number, call: number): Measure[] {
  const timeMs = Date.now() - call;
  const value = (place: number): number => ((place * 31 + call) % 10_000) / 100;
  return Array.from({ length: nodes }, (_, node) => ({
    node,
    timeMs,
    values: [value(3 * node), value(3 * node + 1), value(3 * node + 2)],
  }));
}

/** As our API takes them. */
export function samplesOf(measures: readonly Measure[]): object[] {
  return measures.flatMap(({ node, timeMs, values }) => {
    const time = new Date(timeMs).toISOString();
    const objectId = `node-${nodeName(node)}`;
    return METRICS.map((definitionId, i) => ({ objectId, definitionId, time, value: values[i] }));
  });
}

export function jsonLinesOf(samples: readonly object[]): string {
  return samples.map((sample) => `${JSON.stringify(sample)}\n`).join('');
}

/** The measures of one call, which are of one time, as columns. */
export function columnsOf(measures: readonly Measure[]): object {
  return {
    time: new Date((measures[0] as Measure).timeMs).toISOString(),
    objectIds: measures.map(({ node }) => `node-${nodeName(node)}`),
    values: Object.fromEntries(METRICS.map((metric, i) => [metric, measures.map(({ values }) => values[i])])),
  };
}

/** In Prometheus's text form. */
export function textLinesOf(measures: readonly Measure[]): string {
  return measures
    .flatMap(({ node, timeMs, values }) =>
      METRICS.map((metric, i) => `${metric}{node="${nodeName(node)}"} ${values[i]} ${timeMs}\n`),
    )
    .join('');
}
