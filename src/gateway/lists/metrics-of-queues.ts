/**
 * The lines of the Prometheus text that are labelled with one of the queues, with what describes them. `_other` stands
 * for queues that have no series of their own, so it is nobody's, also where a queue is called so. Pure.
 */
const OTHER = '_other';
const QUEUE_LABEL = /[{,]queue="((?:[^"\\\\]|\\\\.)*)"/;

export function metricsOfQueues(text: string, queues: readonly string[]): string {
  const seen = new Set(queues.filter((queue) => queue !== OTHER).map(escaped));
  const lines: string[] = [];
  let described: string[] = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) {
      // A description begins with HELP; what was described before had no line of these queues.
      if (line.startsWith('# HELP')) described = [];
      described.push(line);
      continue;
    }
    const label = QUEUE_LABEL.exec(line)?.[1];
    if (label === undefined || !seen.has(label)) continue;
    lines.push(...described, line);
    described = [];
  }
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`;
}

/** As a label's value is written. */
function escaped(name: string): string {
  return name.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
