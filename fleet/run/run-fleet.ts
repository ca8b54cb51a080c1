/** One run, from the first registration to the last acknowledgement. Everything it learns is in what it returns. */
import { setMaxListeners } from 'node:events';
import { streamOf } from '../plan/stream.ts';
import { makeWorld, type World } from '../plan/world.ts';
import { BeatSocket } from '../wire/beat-socket.ts';
import type { Client } from '../wire/client.ts';
import { type BeatSender, httpBeats } from './beat-sender.ts';
import { JobProgress, runJob } from './job-runner.ts';
import { NodeRecord } from './node-record.ts';
import { runSlot } from './node-runner.ts';
import type { FleetOptions } from './options.ts';
import { showProgress } from './progress.ts';
import { persistenceOf, type RunContext, type ServerFacts } from './run-context.ts';
import { RunStats } from './run-stats.ts';
import { makeLedgers, runSamples, type SampleLedgers } from './sample-runner.ts';
import { SocketBeats } from './socket-beats.ts';
import { UpdateBatcher } from './update-batcher.ts';
import { VirtualTime } from './virtual-time.ts';

export interface FinishedRun {
  readonly run: RunContext;
  readonly jobs: JobProgress;
  readonly ownSamples: SampleLedgers;
  readonly realSeconds: number;
}

/** After the end, calls that are still in flight get this long: a server that restarts meanwhile takes less. */
const SETTLE_MS = 60_000;
/** Minutes of heartbeat samples that are kept, over all nodes and metrics: some tens of megabytes. */
const KEPT_MINUTES_MAX = 300_000;
const METRICS_A_NODE = 4;

export async function runFleet(options: FleetOptions, client: Client, server: ServerFacts): Promise<FinishedRun> {
  const world = worldOf(options);
  const stats = new RunStats();
  const giveUp = new AbortController();
  // Every call that waits for its next try listens; they are bounded by the nodes and jobs that run.
  setMaxListeners(0, giveUp.signal);
  const nodes = recordsOf(world, options.durationSeconds);
  const { speed } = options;
  const clock = new VirtualTime({ startNs: world.startNs, spanSeconds: world.spanSeconds, speed });
  const persistence = persistenceOf(stats, giveUp.signal);
  const run: RunContext = { world, clock, client, server, stats, speed, nodes, giveUp: giveUp.signal, persistence };
  const jobs = new JobProgress(world.jobs);
  const ownSamples = makeLedgers(world.prefix);
  const http = httpBeats(client, stats, options.batch);
  const sockets = options.transport === 'http' ? undefined : socketBeats(options, http, run);
  const beats: BeatSender = sockets ?? http;
  const endProgress = options.quiet ? () => {} : showProgress(stats, clock, process.stderr);
  // A first interrupt ends the history early, and what was sent is still compared; a second one ends the process.
  const interrupt = (): void => clock.stop();
  process.once('SIGINT', interrupt);
  let settle: NodeJS.Timeout | undefined;
  void clock.over.then(() => {
    settle = setTimeout(() => giveUp.abort(), SETTLE_MS);
  });
  try {
    await Promise.all([
      ...world.slots.map((lives) => runSlot(run, beats, lives)),
      runJobs(run, jobs),
      runSamples(run, ownSamples),
    ]);
    return { run, jobs, ownSamples, realSeconds: clock.elapsedRealMs / 1_000 };
  } finally {
    clock.stop();
    clearTimeout(settle);
    sockets?.close();
    endProgress();
    process.off('SIGINT', interrupt);
  }
}

function socketBeats(options: FleetOptions, http: BeatSender, { stats, persistence }: RunContext): SocketBeats {
  const { nodes, batch, transport } = options;
  return new SocketBeats({
    open: (form, onClosed) => BeatSocket.open(options, form, onClosed),
    nodes,
    batch,
    fallback: transport === 'auto' ? http : undefined,
    stats,
    random: persistence.random,
  });
}

/** The history ends at this moment: nothing in it is ever ahead of the server's clock. */
function worldOf({ seed, prefix, nodes, jobs, queues, durationSeconds, speed }: FleetOptions): World {
  const spanSeconds = durationSeconds * speed;
  const startNs = BigInt(Date.now()) * 1_000_000n - BigInt(Math.round(spanSeconds * 1e9));
  return makeWorld({ seed, prefix, nodes, jobs, queues, spanSeconds, startNs });
}

function recordsOf(world: World, durationSeconds: number): Map<string, NodeRecord> {
  const minutes = Math.ceil(durationSeconds / 60) + 2;
  let left = Math.floor(KEPT_MINUTES_MAX / (minutes * METRICS_A_NODE));
  const records = new Map<string, NodeRecord>();
  for (const life of world.slots.flat()) records.set(life.id, new NodeRecord(life, left-- > 0));
  return records;
}

async function runJobs(run: RunContext, progress: JobProgress): Promise<void> {
  const updates = new UpdateBatcher(run.client, run.stats, run.persistence, streamOf(run.world.seed, 'batches'));
  const starts = run.world.jobStartSeconds;
  const order = Array.from(starts.keys()).sort((a, b) => (starts[a] as number) - (starts[b] as number));
  const underway = new Set<Promise<void>>();
  for (const index of order) {
    if (!(await run.clock.until(starts[index] as number))) break;
    const job: Promise<void> = runJob(run, updates, progress, index).finally(() => underway.delete(job));
    underway.add(job);
  }
  await Promise.all(underway);
}
