/**
 * Job updates from a body to their actors, in slices: a call may bring 8 MiB, some 80,000 events, and neither this thread nor
 * an actor may be held by all of them at once. Checks go through so many events in a turn, and an update of more events than
 * an actor takes at once goes to it in parts, in the order of time. That gives the same job and the same samples: each event
 * makes its samples from those of before its time (`actors/job/formulas.ts`).
 */
import { z } from 'zod';
import { jobAddress } from '../../../actors/job/messages.ts';
import { sampleFault, takesSeries } from '../../../actors/shard/host/sample-checks.ts';
import type { ShardHost } from '../../../actors/shard/host/shard-host.ts';
import { CodedError, type ErrorName, errorOf, OUTCOME_UNKNOWN } from '../../../base/errors.ts';
import {
  EVENTS_PER_UPDATE_MAX,
  type JobUpdate,
  jobEventSchema,
  jobUpdateSchema,
  type SentJobEvent,
  weightOfEvent,
  weightOfEvents,
} from '../../../protocol/job.ts';
import { queueObjectId } from '../../../protocol/metric.ts';
import { cleanTexts } from '../../../protocol/text.ts';
import { mustSplitTimestamp, type SplitTime } from '../../../protocol/timestamp.ts';
import { FAULTS_MAX, faultsOf, pickFields, validate } from '../../body/parse-body.ts';
import { inTurns, nextTurn, SliceBudget, type Sliced } from '../../body/turns.ts';

/** Events that are checked, or handed on, in a turn: 2 to 3 ms. One with long texts counts as several. */
export const EVENTS_PER_SLICE = 500;
/**
 * Events that an actor takes in one step, counted likewise. A step of late ones passes all of the job
 * beside: 2 to 4 ms. It is just so much that an actor system takes no second one in a turn.
 */
export const EVENTS_PER_PART = 256;
/** What an update costs beside its events, in events. */
const UPDATE_WEIGHT = 8;
const WARNINGS_MAX = 32;
/** How often a part is sent again to a busy shard, and after how long: about the deadline of a call. */
const PART_TRIES = 50;
const PART_PAUSE_MS = 200;

/** Fields that the schemas know; others are ignored, so nothing is done about them. */
const UPDATE_FIELDS = Object.keys(jobUpdateSchema.shape);
const EVENT_FIELDS = Object.keys(jobEventSchema.shape);
const eventsSchema = jobEventSchema.array();
const eventCountSchema = z.array(z.unknown()).max(EVENTS_PER_UPDATE_MAX);

/** Failures that concern one update. All others concern the server, also those that are added one day. */
export const OF_ONE_UPDATE: ReadonlySet<ErrorName> = new Set(['invalid', 'tooManySeries', 'jobClaimed']);

export class JobUpdates {
  readonly warnings: string[] = [];
  readonly #host: ShardHost;
  readonly #from: string | undefined;
  readonly #checks = new SliceBudget(EVENTS_PER_SLICE);
  readonly #parts = new SliceBudget(EVENTS_PER_SLICE);

  /** `from`: id of the node whose token the call carries. */
  constructor(host: ShardHost, from?: string) {
    this.#host = host;
    this.#from = from;
  }

  /** The update, cleaned and valid; throws `invalid`. */
  check(sent: unknown): Promise<JobUpdate> {
    return inTurns(checkedUpdate(sent, this.warnings, this.#checks));
  }

  /** Events that stand in an array of their own. */
  async checkEvents(sent: readonly unknown[]): Promise<SentJobEvent[]> {
    const { events, faults } = await inTurns(checkedEvents(sent, '', this.warnings, this.#checks));
    mustBeFaultless(faults);
    return events;
  }

  /** When it is durable: the failure that concerns this update alone. What concerns the server (a full disk, say) is thrown. */
  async apply(update: JobUpdate): Promise<CodedError | undefined> {
    if (!takesSeries(this.#host, queueObjectId(update.queueName), 'jobSubmitted')) {
      return new CodedError('tooManySeries', undefined, {
        queueName: 'creating this queue would exceed the series limit',
      });
    }
    await inTurns(this.#warnOfUncounted(update));
    try {
      await this.#send(await inTurns(partsOf(update, this.#checks)));
      return undefined;
    } catch (error) {
      if (error instanceof CodedError && OF_ONE_UPDATE.has(error.name)) return error;
      throw error;
    }
  }

  /** All of them, side by side, each started in its turn. The failure of each, in the order given, also those of the server. */
  async applyAll(updates: readonly JobUpdate[]): Promise<(CodedError | undefined)[]> {
    const started: Promise<{ readonly error: unknown }>[] = [];
    for (const update of updates) {
      await inTurns(this.#parts.spend(weightOf(update)));
      started.push(
        this.apply(update).then(
          (error) => ({ error }),
          // Checked when all have ended: until then, a rejection has no handler.
          (error: unknown) => ({ error }),
        ),
      );
    }
    return (await Promise.all(started)).map(({ error }) => {
      if (error === undefined || error instanceof CodedError) return error;
      throw error;
    });
  }

  async #send(parts: readonly JobUpdate[]): Promise<void> {
    for (const [i, update] of parts.entries()) {
      if (i === 0) await this.#ask(update);
      else {
        await nextTurn();
        await this.#sendOn(update);
      }
    }
  }

  async #ask(update: JobUpdate): Promise<void> {
    const from = this.#from;
    await this.#host.ask(jobAddress(update.id), { type: 'update', update, ...(from === undefined ? {} : { from }) });
  }

  /** A part whose job has taken those before it: it is not left out because the shard is busy for a while. */
  async #sendOn(update: JobUpdate): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        await this.#ask(update);
        return;
      } catch (error) {
        if (!(error instanceof CodedError) || error.name !== 'overloaded') throw error;
        // "Overloaded" would say that nothing was taken.
        if (tries >= PART_TRIES) throw errorOf(OUTCOME_UNKNOWN);
        await new Promise((resolve) => setTimeout(resolve, PART_PAUSE_MS));
      }
    }
  }

  *#warnOfUncounted({ id, events }: JobUpdate): Sliced<void> {
    const nowMs = this.#host.clock.wallMs();
    for (const [i, event] of (events ?? []).entries()) {
      if (i % EVENTS_PER_SLICE === 0) yield* this.#checks.spend(EVENTS_PER_SLICE / 4);
      const fault = sampleFault(event.timestamp, nowMs);
      if (fault === undefined) continue;
      if (this.warnings.length < WARNINGS_MAX)
        this.warnings.push(`${id}: an event is kept but not counted in metrics: its timestamp ${fault}`);
      return;
    }
  }
}

function weightOf({ events }: JobUpdate): number {
  return UPDATE_WEIGHT + Math.min(events ? weightOfEvents(events) : 0, EVENTS_PER_PART);
}

/** Where the slice ends that begins at `from`: at least one event, and the weight of `max` or little more. */
function sliceEnd(events: readonly unknown[], from: number, max: number): number {
  let end = from;
  for (let weight = 0; end < events.length && weight < max; end++) weight += weightOfEvent(events[end]);
  return end;
}

export function* checkedUpdate(sent: unknown, warnings: string[], budget: SliceBudget): Sliced<JobUpdate> {
  const update = pickFields(sent, UPDATE_FIELDS);
  const events = (update as { readonly events?: unknown } | null)?.events;
  yield* budget.spend(UPDATE_WEIGHT + (Array.isArray(events) ? Math.min(weightOfEvents(events), EVENTS_PER_SLICE) : 0));
  if (!Array.isArray(events)) return validate(jobUpdateSchema, cleanTexts(update, warnings));
  const { events: _, ...rest } = update as { readonly events: unknown };
  const result = jobUpdateSchema.safeParse(cleanTexts(rest, warnings));
  const faults = result.success ? {} : faultsOf(result.error);
  if (events.length > EVENTS_PER_UPDATE_MAX) Object.assign(faults, tooManyFaults(events));
  else {
    const checked = yield* checkedEvents(events, 'events', warnings, budget);
    addFaults(faults, checked.faults);
    if (result.success && Object.keys(faults).length === 0) return { ...result.data, events: checked.events };
  }
  throw new CodedError('invalid', undefined, faults);
}

interface CheckedEvents {
  readonly events: SentJobEvent[];
  /** By path; empty where all are valid. */
  readonly faults: Record<string, string>;
}

/** `name` is that of the field that holds them, or nothing where they are the body. */
export function* checkedEvents(
  sent: readonly unknown[],
  name: string,
  warnings: string[],
  budget: SliceBudget,
): Sliced<CheckedEvents> {
  const events: SentJobEvent[] = [];
  const faults: Record<string, string> = {};
  if (sent.length > EVENTS_PER_UPDATE_MAX) return { events, faults: tooManyFaults(sent, name === '' ? 'body' : name) };
  for (let from = 0, end = 0; from < sent.length; from = end) {
    end = sliceEnd(sent, from, EVENTS_PER_SLICE);
    const slice = sent.slice(from, end);
    if (from > 0) yield* budget.spend(weightOfEvents(slice));
    const cleaned = slice.map((event, i) =>
      cleanTexts(pickFields(event, EVENT_FIELDS), warnings, undefined, `${name}[${from + i}]`),
    );
    const result = eventsSchema.safeParse(cleaned);
    if (result.success) for (const event of result.data) events.push(event);
    else addFaults(faults, faultsOf(result.error), (path) => pathOf(name, from, path));
    if (Object.keys(faults).length >= FAULTS_MAX) break;
  }
  return { events, faults };
}

/** `3.timestamp` of a slice that begins at 500 is `events.503.timestamp` of the update. */
function pathOf(name: string, from: number, path: string): string {
  const [index = '', ...rest] = path.split('.');
  return [...(name === '' ? [] : [name]), String(from + Number(index)), ...rest].join('.');
}

function tooManyFaults(events: readonly unknown[], name = 'events'): Record<string, string> {
  const result = eventCountSchema.safeParse(events);
  return { [name]: result.error?.issues[0]?.message ?? `at most ${EVENTS_PER_UPDATE_MAX}` };
}

function addFaults(faults: Record<string, string>, more: Record<string, string>, name = (path: string) => path): void {
  for (const [path, reason] of Object.entries(more))
    if (Object.keys(faults).length < FAULTS_MAX) faults[name(path)] = reason;
}

function mustBeFaultless(faults: Record<string, string>): void {
  if (Object.keys(faults).length > 0) throw new CodedError('invalid', undefined, faults);
}

/**
 * Parts that an actor takes in one step each, in the order of time; what is not of the events is in the first. Each tells its
 * epoch: the job may be claimed between two of them.
 */
export function* partsOf(update: JobUpdate, budget: SliceBudget): Sliced<JobUpdate[]> {
  const { events } = update;
  if (!events || sliceEnd(events, 0, EVENTS_PER_PART) >= events.length) return [update];
  const timed: { readonly time: SplitTime; readonly event: SentJobEvent }[] = [];
  for (const [i, event] of events.entries()) {
    if (i % EVENTS_PER_SLICE === 0) yield* budget.spend(EVENTS_PER_SLICE / 4);
    timed.push({ time: mustSplitTimestamp(event.timestamp), event });
  }
  yield* budget.spend(EVENTS_PER_SLICE);
  timed.sort((a, b) => a.time.ms - b.time.ms || a.time.subNs - b.time.subNs);
  const { id, queueName, epoch } = update;
  const further = { id, queueName, ...(epoch === undefined ? {} : { epoch }) };
  const parts: JobUpdate[] = [];
  const sorted = timed.map(({ event }) => event);
  for (let from = 0, end = 0; from < sorted.length; from = end) {
    end = sliceEnd(sorted, from, EVENTS_PER_PART);
    parts.push({ ...(from === 0 ? update : further), events: sorted.slice(from, end) });
  }
  return parts;
}
