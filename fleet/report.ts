/** What a run comes to: figures, what was compared, what differs; for people and as JSON. */
import type { FinishedRun } from './run/run-fleet.ts';
import type { ComparedLine, Comparison } from './verify/comparison.ts';

export interface Report {
  readonly server: string;
  readonly prefix: string;
  readonly seed: number;
  readonly realSeconds: number;
  readonly simulatedSeconds: number;
  readonly beats: number;
  /** Of those, over WebSockets. */
  readonly socketBeats: number;
  /** WebSockets that were opened. */
  readonly sockets: number;
  readonly jobCalls: number;
  readonly events: number;
  readonly samples: number;
  readonly logBytes: number;
  readonly registrations: number;
  readonly deregistrations: number;
  readonly latencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
  readonly failedTries: number;
  readonly retries: number;
  /** Heartbeats and posted samples without an answer: each may have been taken or not. */
  readonly doubtful: number;
  readonly errors: number;
  readonly errorTexts: readonly string[];
  /** Null where nothing was compared. */
  readonly compared: readonly ComparedLine[] | null;
  readonly differences: number;
  readonly differenceTexts: readonly string[];
}

export function reportOf(server: URL, { run, realSeconds }: FinishedRun, comparison: Comparison | undefined): Report {
  const { stats, world, clock } = run;
  const { latency } = stats.wire;
  return {
    server: server.origin,
    prefix: world.prefix,
    seed: world.seed,
    realSeconds: Math.round(realSeconds * 10) / 10,
    simulatedSeconds: Math.round(clock.nowSecond()),
    beats: stats.beats,
    socketBeats: stats.socketBeats,
    sockets: stats.sockets,
    jobCalls: stats.jobCalls,
    events: stats.events,
    samples: stats.samples,
    logBytes: stats.logBytes,
    registrations: stats.registrations,
    deregistrations: stats.deregistrations,
    latencyMs: {
      p50: rounded(latency.quantileMs(0.5)),
      p99: rounded(latency.quantileMs(0.99)),
      max: rounded(latency.maxMs),
    },
    failedTries: stats.wire.failures,
    retries: stats.wire.retries,
    doubtful: stats.doubtful,
    errors: stats.faults + stats.unrecovered,
    errorTexts: stats.shown,
    compared: comparison?.lines ?? null,
    differences: comparison?.differences ?? 0,
    differenceTexts: comparison?.shown ?? [],
  };
}

export function isGood(report: Report): boolean {
  return report.errors === 0 && report.differences === 0;
}

export function renderReport(report: Report): string {
  const { latencyMs } = report;
  const lines = [
    `${report.server}: ${report.prefix}, seed ${report.seed}; ${report.simulatedSeconds} s simulated in ${report.realSeconds} s`,
    `  ${report.beats} heartbeats (${report.socketBeats} over ${report.sockets} WebSockets), ${report.events} events in ${report.jobCalls} job calls, ${report.samples} samples, ${report.logBytes} bytes of logs`,
    `  ${report.registrations} registrations, ${report.deregistrations} deregistrations`,
    `  latency p50 ${latencyMs.p50} ms, p99 ${latencyMs.p99} ms, max ${latencyMs.max} ms`,
    `  ${report.failedTries} failed tries, ${report.retries} retries, ${report.doubtful} calls in doubt, ${report.errors} errors`,
  ];
  for (const text of report.errorTexts) lines.push(`    ${text}`);
  if (report.compared) lines.push('', ...tableOf(report.compared), '');
  else lines.push('', '  nothing was compared', '');
  for (const text of report.differenceTexts) lines.push(`  ${text}`);
  const hidden = report.differences - report.differenceTexts.length;
  if (hidden > 0) lines.push(`  and ${hidden} more`);
  lines.push(isGood(report) ? 'no difference, no error' : `${report.differences} differences, ${report.errors} errors`);
  return `${lines.join('\n')}\n`;
}

/** `late` counts answers that were right at a second look only: durable at once, visible a moment later. */
function tableOf(compared: readonly ComparedLine[]): string[] {
  const rows = [
    ['compared', 'how many', 'differences', 'late'],
    ...compared.map((line) => [line.what, String(line.compared), String(line.differences), String(line.late)]),
  ];
  return rows.map(
    ([what = '', count = '', differences = '', late = '']) =>
      `  ${what.padEnd(22)}${count.padStart(10)}${differences.padStart(13)}${late.padStart(7)}`,
  );
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
