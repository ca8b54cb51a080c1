/** Reclaims of spot nodes in a range of time with the jobs that they interrupted, as one JSON text; derived when it is asked for. */
import { CodedError } from '../../base/errors.ts';
import type { Queues } from '../../protocol/identity/role.ts';
import { isRunning, isTerminal, type JobEvent } from '../../protocol/job.ts';
import { RECLAIM_JOBS_MAX, type Reclaim, type ReclaimedJob, type ReclaimList } from '../../protocol/lists/reclaim.ts';
import type { TimedEvent } from '../../protocol/run-segments.ts';
import { type EpochNs, epochNsOfMs, formatTimestampMs, mustParseTimestamp } from '../../protocol/timestamp.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { EventRow, readEventRows } from '../../store/records/job-event-row.ts';
import { decodeJobRecord, type JobRecord, type StoredFolded, type StoredWalk } from '../../store/records/job-record.ts';
import { readNodePrice } from '../../store/records/node-record.ts';
import { savedMarkOf, savedProgressOf, savedSegmentsOf } from '../../store/records/stored-walk.ts';
import { GoneNodes } from '../jobs/gone-nodes.ts';
import { TURN_ROWS, Turns } from '../jobs/job-groups.ts';
import type { ReclaimListTask } from '../task/reclaim-task.ts';
import { hitJobs, LIMITS, type Limits } from './hit-jobs.ts';
import { type FoldedMark, type Hit, HitWalk, type Passed } from './hits.ts';
import { type TakenNode, takenNodes } from './taken-nodes.ts';

const NS = 1e9;
const HOUR_SECONDS = 3_600;
/** What a job that is read whole, and a row of its events, cost in rows that are counted. */
const COST = { job: 800, row: 1_000 } as const;

export async function* reclaimList(
  reader: Reader,
  task: ReclaimListTask,
  limits: Limits = LIMITS,
  turnRows = TURN_ROWS,
): AsyncGenerator<Uint8Array> {
  const turns = new Turns(reader, turnRows);
  const { nodes, isCut } = await takenNodes(reader, task, turns);
  const found = await hitJobs(reader, nodes, task.queues, turns, limits);
  const jobs = new ReclaimedJobs(reader, task, nodes);
  let read = 0;
  for (const id of found.ids) {
    if (read++ >= limits.read) break;
    if (turns.spend(jobs.add(id))) await turns.next();
  }
  const rows = nodes.map((node) => rowOf(node, jobs.of(node)));
  const sum = (of: (row: Reclaim) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const list: ReclaimList = {
    start: formatTimestampMs(task.fromMs),
    end: formatTimestampMs(task.toMs),
    totals: {
      reclaims: rows.length,
      noticed: rows.filter(({ notice }) => notice !== null).length,
      jobs: sum(({ jobCount }) => jobCount),
      repeatedSeconds: sum(({ repeatedSeconds }) => repeatedSeconds),
      cost: sum(({ cost }) => cost),
    },
    reclaims: rows.slice(0, task.limit),
    isComplete: !task.isNoticedCut && !isCut && !found.isCut && read <= limits.read,
  };
  yield Uint8Array.from(Buffer.from(JSON.stringify(list)));
}

function rowOf({ facts, state, atMs, notice }: TakenNode, jobs: readonly ReclaimedJob[]): Reclaim {
  const { zone, instanceId, instanceType } = facts.instance;
  return {
    nodeId: facts.id,
    instanceId,
    zone,
    instanceType,
    state,
    time: formatTimestampMs(atMs),
    notice,
    jobCount: jobs.length,
    jobs: [...jobs]
      .sort((a, b) => b.repeatedSeconds - a.repeatedSeconds || (a.id < b.id ? -1 : 1))
      .slice(0, RECLAIM_JOBS_MAX),
    repeatedSeconds: jobs.reduce((sum, { repeatedSeconds }) => sum + repeatedSeconds, 0),
    cost: jobs.reduce((sum, { cost }) => sum + cost, 0),
  };
}

/** The jobs of each taken node. */
class ReclaimedJobs {
  readonly #reader: Reader;
  readonly #queues: Queues;
  readonly #now: EpochNs;
  readonly #gone: GoneNodes;
  readonly #byOid: ReadonlyMap<string, TakenNode>;
  readonly #first: EpochNs;
  readonly #jobs = new Map<TakenNode, ReclaimedJob[]>();

  constructor(reader: Reader, { queues, nowMs }: ReclaimListTask, nodes: readonly TakenNode[]) {
    this.#reader = reader;
    this.#queues = queues;
    this.#now = epochNsOfMs(nowMs);
    this.#gone = new GoneNodes(reader);
    // Of several nodes that bore a name, that which bore it last: nodes come newest first.
    this.#byOid = new Map(nodes.toReversed().flatMap((node) => node.oids.map((oid) => [oid, node] as const)));
    this.#first = nodes.map(({ from }) => from).sort(byTime)[0] ?? this.#now;
  }

  of(node: TakenNode): readonly ReclaimedJob[] {
    return this.#jobs.get(node) ?? [];
  }

  /** Returns what it cost, in rows that are counted. A damaged job costs itself. */
  add(id: string): number {
    const bytes = this.#reader.get('job', textKey(id));
    if (!bytes || isDamaged(bytes)) return COST.job;
    try {
      return COST.job + COST.row * this.#add(id, decodeJobRecord(bytes));
    } catch (error) {
      if (error instanceof CodedError && error.name === 'recordDamaged') return COST.job;
      throw error;
    }
  }

  /** Rows of events that were read. */
  #add(id: string, { meta, job }: JobRecord): number {
    if (this.#queues && !this.#queues.includes(job.queueName)) return 0;
    const { sealed, folded } = meta;
    // What came before every reclaim need not be read again: the record tells what it came to.
    const isPassed = sealed !== undefined && BigInt(sealed.last[0]) < this.#first;
    const rows =
      sealed && !isPassed ? Array.from(readEventRows(this.#reader, id), ([n, row]) => new EventRow(n, row)) : [];
    const events: TimedEvent[] = rows.flatMap((row) => row.events);
    if (sealed?.isSorted === false) events.sort((a, b) => byTime(a.at, b.at));
    for (const event of job.events) events.push({ at: mustParseTimestamp(event.timestamp), event: event as JobEvent });
    const mark = isPassed && sealed.walk.isPastFolded ? null : foldedOf(folded);
    const walk = new HitWalk((oid) => this.#byOid.get(oid), mark, isPassed ? passedOf(sealed.walk) : undefined);
    for (const timed of events) walk.pass(timed);
    const hits = walk.end(this.#gone.phaseOf(job), this.#now);
    const prices = new Map(
      [...rows.flatMap((row) => row.prices), ...(sealed?.recent ?? []), ...(meta.prices ?? [])].map(
        ([, oid, , price]) => [oid, price],
      ),
    );
    for (const hit of hits) {
      const node = this.#byOid.get(hit.nodeOid) as TakenNode;
      const list = this.#jobs.get(node) ?? [];
      this.#jobs.set(node, list);
      list.push(this.#jobOf(id, job, hit, prices));
    }
    return rows.length;
  }

  #jobOf(
    id: string,
    { queueName, status }: JobRecord['job'],
    hit: Hit,
    prices: ReadonlyMap<string, number>,
  ): ReclaimedJob {
    const priceAt = (oid: string): number | undefined => prices.get(oid) ?? readNodePrice(this.#reader, oid)?.price;
    const price = (hit.nextOid === null ? undefined : priceAt(hit.nextOid)) ?? priceAt(hit.nodeOid) ?? 0;
    const repeatedSeconds = Number(hit.repeatedNs) / NS;
    return {
      id,
      queueName,
      outcome: hit.outcome === 'restoring' && status !== 'Restoring' ? 'restoreFailed' : hit.outcome,
      nodeOid: hit.nextOid,
      downSeconds: hit.downNs === null ? null : Number(hit.downNs) / NS,
      repeatedSeconds,
      cost: (repeatedSeconds / HOUR_SECONDS) * price,
    };
  }
}

function byTime(a: EpochNs, b: EpochNs): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function foldedOf(stored: StoredFolded | null): FoldedMark | null {
  if (!stored?.mark) return null;
  return { through: BigInt(stored.through), mark: savedMarkOf(stored.mark) };
}

function passedOf(stored: StoredWalk): Passed {
  const { nodeOid, open, status } = stored;
  // A job that has ended may get a late word of a checkpoint, which is no run.
  const isOver = status === null || isTerminal(status) || (isRunning(status) && open === null);
  return {
    isPlaced: nodeOid !== '' && !isOver,
    segments: savedSegmentsOf(stored),
    progress: savedProgressOf(stored),
  };
}
