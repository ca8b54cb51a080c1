/** Samples that are reported directly (contract section 4): checked, journaled as one batch, answered when durable. */

import type { ShardHost } from '../../../actors/shard/host/shard-host.ts';
import { CodedError } from '../../../base/errors.ts';
import { SAMPLES_PER_CALL_MAX, sampleSchema } from '../../../protocol/metric.ts';
import { validate } from '../../body/parse-body.ts';
import { columnsOf, isColumns, SampleColumns } from '../../body/sample-columns.ts';
import { SampleLines } from '../../body/sample-lines.ts';
import { inTurns, type Sliced } from '../../body/turns.ts';
import type { Handler } from '../handler.ts';
import { SampleIntake } from './sample-intake.ts';

export const postSamples: Handler = async ({ exchange, body }, { host }) => {
  const { intake, count, taking } = taken(body, host);
  if (taking) await inTurns(taking);
  const rejected = await intake.commit();
  exchange.json(200, { accepted: count - rejected.length, rejected });
};

interface Taken {
  readonly intake: SampleIntake;
  readonly count: number;
  /** Null where there is nothing to take. */
  readonly taking: Sliced<void> | null;
}

function taken(body: unknown, host: ShardHost): Taken {
  if (body instanceof SampleLines) {
    const intake = intakeFor(body.count, host);
    return { intake, count: body.count, taking: intake.takeLines(body) };
  }
  if (body instanceof SampleColumns || isColumns(body)) {
    const columns = body instanceof SampleColumns ? body : columnsOf(body);
    const { count } = columns;
    const intake = new SampleIntake(host);
    return { intake, count, taking: count === 0 ? null : intake.takeColumns(columns) };
  }
  // One sample may come without its array; anything else is no list of samples, of which some could be rejected.
  const sent: readonly unknown[] = Array.isArray(body) ? body : [validate(sampleSchema, body)];
  const intake = intakeFor(sent.length, host);
  return { intake, count: sent.length, taking: intake.takeAll(sent) };
}

function intakeFor(count: number, host: ShardHost): SampleIntake {
  if (count > SAMPLES_PER_CALL_MAX)
    throw new CodedError('invalid', undefined, {
      body: `has ${count} samples; at most ${SAMPLES_PER_CALL_MAX} a call`,
    });
  return new SampleIntake(host, count);
}
