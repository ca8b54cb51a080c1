/** Samples of the fleet's own metrics, posted directly: every aggregation, late ones, two of the same time. */
import type { Random } from '../../src/base/random.ts';
import { mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import { SampleLedger } from '../model/sample-ledger.ts';
import type { Aggregate } from '../model/tally.ts';
import { atSecond, drawDigits, formatStamp } from '../plan/stamp.ts';
import { streamOf } from '../plan/stream.ts';
import { jsonBody, type RequestBody, WireError } from '../wire/client.ts';
import { isLater, persist, tryOnce } from '../wire/persist.ts';
import type { RunContext } from './run-context.ts';

/** Named alike in every run: definitions are few (256) and never go. */
export const OWN_METRICS: ReadonlyMap<string, Aggregate> = new Map([
  ['fleetReading', 'last'],
  ['fleetDepth', 'max'],
  ['fleetFlow', 'sum'],
]);

/** By object and metric. */
export type SampleLedgers = ReadonlyMap<string, ReadonlyMap<string, SampleLedger>>;

const OBJECTS = 4;
const INTERVAL_MS = 500;
const SAMPLES_PER_CALL_MAX = 40;

interface Sample {
  readonly objectId: string;
  readonly definitionId: string;
  readonly time: string;
  readonly value: number;
}

export function makeLedgers(prefix: string): SampleLedgers {
  const objects = Array.from({ length: OBJECTS }, (_, i) => `${prefix}:probe ${i}`);
  return new Map(
    objects.map((id) => [id, new Map([...OWN_METRICS.keys()].map((metric) => [metric, new SampleLedger()]))]),
  );
}

export async function runSamples(run: RunContext, ledgers: SampleLedgers): Promise<void> {
  const random = streamOf(run.world.seed, 'samples');
  try {
    for (const [metric, aggregation] of OWN_METRICS) {
      const body = {
        name: metric,
        description: 'Made up by a simulated fleet',
        unit: 'count',
        labels: [],
        aggregation,
      };
      const send = () => run.client.json('PUT', `/api/v1/metric/metricDef-${metric}`, body);
      await persist(`the definition of ${metric}`, send, run.persistence);
    }
  } catch (error) {
    run.stats.lose(error);
    return;
  }
  while (await run.clock.pause(INTERVAL_MS)) await post(run, ledgers, draw(run, random, [...ledgers.keys()]), random);
}

/** Anywhere in the history up to now, so most are late and repair coarser levels. */
function draw(run: RunContext, random: Random, objects: readonly string[]): Sample[] {
  const samples: Sample[] = [];
  for (let left = 1 + random.int(SAMPLES_PER_CALL_MAX); left > 0; left--) {
    const atNs = atSecond(run.clock.startNs, random.between(0, run.clock.nowSecond()));
    const metric = random.pick([...OWN_METRICS.keys()]);
    const sample = {
      objectId: random.pick(objects),
      definitionId: random.chance(0.5) ? `metricDef-${metric}` : metric,
      time: formatStamp(atNs, drawDigits(random)),
      value: random.chance(0.1) ? random.int(5) : random.between(-1e6, 1e6),
    };
    samples.push(sample);
    // Of the same time, with another value. Not by negation: JSON has no negative zero.
    if (random.chance(0.05)) samples.push({ ...sample, value: 0 - sample.value });
  }
  return samples;
}

/** Never twice: a repeated sample would count twice. */
async function post(
  run: RunContext,
  ledgers: SampleLedgers,
  samples: readonly Sample[],
  random: Random,
): Promise<void> {
  const body = random.chance(0.5) ? jsonBody(samples) : linesBody(samples);
  const reply = await tryOnce(() => run.client.request('POST', '/api/v1/metricValue', body), run.stats.wire);
  const taken = !(reply instanceof WireError) && reply.status === 200;
  if (reply instanceof WireError && !reply.mayHaveArrived) return;
  if (!(reply instanceof WireError)) {
    if (isLater(reply.status)) run.stats.wire.failures++;
    else if (!taken || (JSON.parse(reply.body.toString()) as { accepted?: number }).accepted !== samples.length) {
      run.stats.fault(
        `${samples.length} samples were answered ${reply.status}: ${reply.body.toString('utf8', 0, 300)}`,
      );
    }
  }
  for (const { objectId, definitionId, time, value } of samples) {
    const ledger = ledgers.get(objectId)?.get(definitionId.replace('metricDef-', ''));
    const sample = { atNs: mustParseTimestamp(time), value };
    if (taken) ledger?.acknowledge(sample);
    else ledger?.doubt(sample);
  }
  if (taken) run.stats.samples += samples.length;
  else run.stats.doubtful++;
}

function linesBody(samples: readonly Sample[]): RequestBody {
  return {
    bytes: Buffer.from(samples.map((sample) => JSON.stringify(sample)).join('\n')),
    type: 'application/x-ndjson',
  };
}
