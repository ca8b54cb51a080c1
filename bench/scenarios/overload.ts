/**
 * Beats at twice the rate that the server can hold: how many are refused and how, how long the accepted ones take, how soon
 * all is normal again, and whether reads and job events are answered meanwhile.
 *
 * Measured: first what a closed loop gets accepted (the capacity, with the load on the same machine), then an open loop at
 * half of it, at twice, and at half again. The first two seconds at twice are a row of their own, the onset: nothing is
 * refused that could be a burst, so all clients wait for as long as all of them take, which is their number × what each
 * costs. A connection is a client with one message in flight, as an agent is: latency counts
 * from the moment it sends, and a client that still waits for its answer when its next message is due leaves that one out (the
 * row says how many). Two forms: POST of ten beats (its refusals carry Retry-After) and one beat a WebSocket frame, both with
 * three metrics a beat. Single beats over HTTP are left out: this generator spends more on one than the server does, so it
 * could not offer twice the capacity.
 * Back to normal: from the end of the overload to the end of the last tenth of a second in which a message was refused or
 * lost, or the accepted ones' 99th percentile was above 100 ms (above what it was before, where that was more already).
 * Sketch: refusing costs a fraction of taking, so at twice the rate somewhat more than half is refused. Budget: accepted p99
 * 100 ms behind the onset, normal within 5 s.
 */

import { planFor, register, webSocket } from '../harness/fleet.ts';
import { startCairn, type UnderTest } from '../harness/peer-process.ts';
import type { Row, RunOptions, Scenario } from '../harness/table.ts';
import { requestBytes } from '../load/http-wire.ts';
import { BIN_MS, type Bin, type LoadPlan, type Phase } from '../load/load-plan.ts';
import { type Measured, measure, type PhaseMeasured, prepareLoad } from '../load/run-load.ts';
import { benchNode } from '../load/workload.ts';

const OVERLOAD = 'overload';
const OVER = 2;
const UNDER = 0.5;
const NORMAL_P99_MS = 100;
/** Enough that the excess reaches the server instead of waiting for an answer here. */
const CONNECTIONS = 2_000;
/** A client whose last message is not answered so long after the next one is due leaves that out. */
const LEAVE_OUT_MS = 50;
const MEASURED = { latencyFrom: 'sent', giveUpMs: LEAVE_OUT_MS } as const;
/** The smoke run measures nothing: by when they are due, each phase has answers on a machine that stalls, too. */
const PATIENT = { latencyFrom: 'due', giveUpMs: 30_000 } as const;
const PROBES_PER_SECOND = 20;

interface Form {
  readonly name: string;
  readonly perMessage: number;
  readonly plan: LoadPlan;
}

export const overload: Scenario = {
  name: 'overload',
  rounds: 1,
  run: async (options) => {
    const { smoke } = options;
    const nodes = { first: 0, count: smoke ? 400 : 20_000 };
    const cairn = await startCairn();
    try {
      await register(cairn, nodes);
      const beats = { nodes, metrics: true } as const;
      const forms: Form[] = [
        {
          name: 'POST of 10',
          perMessage: 10,
          plan: planFor(cairn, {
            connections: smoke ? 16 : CONNECTIONS,
            requests: 0,
            bytes: { what: 'batches', format: 'json', perMessage: 10, ...beats },
          }),
        },
        {
          name: 'frame of 1',
          perMessage: 1,
          plan: planFor(cairn, {
            connections: smoke ? 32 : CONNECTIONS,
            requests: 0,
            dialect: webSocket('json'),
            bytes: { what: 'frames', format: 'json', perMessage: 1, ...beats },
          }),
        },
      ];
      const rows: Row[] = [];
      for (const form of forms) rows.push(...(await overloadedBy(form, cairn, options)));
      return rows;
    } finally {
      await cairn.stop();
    }
  },
};

async function overloadedBy(form: Form, server: UnderTest, { smoke, progress }: RunOptions): Promise<Row[]> {
  const capacity = smoke ? 100 : await capacityOf(form, server);
  progress(`${form.name}: capacity ${(capacity * form.perMessage).toFixed(0)} beats a second`);
  const seconds = smoke ? [0.2, 0.1, 0.3, 0.3] : [10, 2, 10, 15];
  const phases = (['before', 'onset', OVERLOAD, 'after'] as const).map(
    (name, i): Phase => ({
      name,
      perSecond: capacity * (name === OVERLOAD || name === 'onset' ? OVER : UNDER),
      seconds: seconds[i] as number,
    }),
  );
  // Together, because the server closes a connection on which nothing came for ten seconds.
  const loads = await Promise.all(
    [
      { ...form.plan, phases, ...(smoke ? PATIENT : MEASURED) },
      probe(server, phases, 'read'),
      probe(server, phases, 'event'),
    ].map((plan) => prepareLoad(server.pid, plan)),
  );
  const [measured, read, event] = (await Promise.all(loads.map((load) => load.run()))) as [
    Measured,
    Measured,
    Measured,
  ];
  return phases.map(({ name, perSecond }, i) => {
    const row = phaseRow(`${form.name}, ${name}`, form, measured.phases[i] as PhaseMeasured);
    if (name !== OVERLOAD) return row;
    return { ...row, facts: factsOf(form, perSecond, measured, phases, read, event) };
  });
}

/** What a closed loop gets accepted in a second or two, after one that warms up. */
async function capacityOf({ plan }: Form, server: UnderTest): Promise<number> {
  const closed = { ...plan, connections: Math.min(256, plan.connections) };
  let perSecond = 500;
  for (let round = 0; round < 3; round++) {
    const { answered, seconds } = await measure(server.pid, { ...closed, requests: Math.ceil(perSecond * 2) });
    perSecond = answered / seconds;
  }
  return perSecond;
}

function probe(server: UnderTest, phases: readonly Phase[], what: 'read' | 'event'): LoadPlan {
  const event = { timestamp: '2026-11-01T10:00:00Z', eventType: 'Job-Creating', nodeOid: benchNode(0).id };
  // Every event has another time, because one that was seen before costs nothing.
  const events = Array.from({ length: 1_000 }, (_, i) =>
    requestBytes(
      'POST',
      `/api/v1/job/bench-${i % 20}/event?queueName=bench`,
      server.host,
      JSON.stringify({ ...event, timestamp: new Date(Date.UTC(2026, 10, 1) + i * 1_000).toISOString() }),
    ),
  );
  return planFor(server, {
    connections: 16,
    requests: 0,
    bytes: what === 'event' ? events : [requestBytes('GET', `/api/v1/node/${benchNode(0).id}`, server.host)],
    phases: phases.map((phase) => ({ ...phase, perSecond: PROBES_PER_SECOND })),
  });
}

function phaseRow(name: string, { perMessage }: Form, phase: PhaseMeasured): Row {
  return {
    name,
    unit: 'accepted beat',
    perSecond: phase.perSecond * perMessage,
    p50Ms: phase.p50Ms,
    p99Ms: phase.p99Ms,
    cpuMicroseconds: (phase.cpuSeconds * 1e6) / Math.max(1, phase.answered * perMessage),
  };
}

function factsOf(
  { perMessage }: Form,
  perSecond: number,
  measured: Measured,
  phases: readonly Phase[],
  read: Measured,
  event: Measured,
): NonNullable<Row['facts']> {
  const at = phases.findIndex(({ name }) => name === OVERLOAD);
  const { answered, refused, retryAfter, failed, givenUp } = measured.phases[at] as PhaseMeasured;
  const all = answered + refused + failed + givenUp;
  const readMeanwhile = read.phases[at] as PhaseMeasured;
  const eventMeanwhile = event.phases[at] as PhaseMeasured;
  return {
    'offered beats a second': Math.round(perSecond * perMessage),
    'answered 503, %': (100 * refused) / all,
    '503 that say when to retry, %': refused === 0 ? 'none was refused' : (100 * retryAfter) / refused,
    'failed, left out': `${failed}, ${givenUp}`,
    'back to normal after, ms': backToNormalMs(measured.bins, phases, (measured.phases[0] as PhaseMeasured).p99Ms),
    'reads meanwhile p99, ms': readMeanwhile.p99Ms,
    'job events meanwhile p99, ms': eventMeanwhile.p99Ms,
    'reads and job events not answered': [read, event].reduce((sum, probe) => sum + lostOf(probe), 0),
    'generator late at p99, ms': measured.lagP99Ms,
  };
}

function lostOf({ refused, failed, givenUp }: Measured): number {
  return refused + failed + givenUp;
}

export function backToNormalMs(bins: readonly Bin[], phases: readonly Phase[], p99BeforeMs: number): number {
  const normalMs = Math.max(NORMAL_P99_MS, p99BeforeMs);
  const before = phases.slice(0, -1).reduce((sum, { seconds }) => sum + seconds, 0);
  const overloadEnds = Math.ceil((1000 * before) / BIN_MS);
  const after = bins.slice(overloadEnds);
  const last = after.findLastIndex(({ refused, lost, p99Ms }) => refused > 0 || lost > 0 || p99Ms > normalMs);
  return (last + 1) * BIN_MS;
}
