/** Composition root of a shard thread: its actors, its gateway, and its line to main. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { JobTotals } from '../actors/job/job-totals.ts';
import { logJobSignal } from '../actors/job/signal-log.ts';
import { countAgents } from '../actors/node/agent-tally.ts';
import { countNodes, type RunningNode, runningNodes } from '../actors/node/node-tally.ts';
import { logSignal } from '../actors/node/signal-log.ts';
import type { NodeState } from '../actors/node/state.ts';
import type { Signal } from '../actors/runtime/behaviour.ts';
import { watchHeapGrowth } from '../actors/shard/host/heap-growth.ts';
import { type ShardData, ShardHost } from '../actors/shard/host/shard-host.ts';
import { registerShardMetrics } from '../actors/shard/host/shard-metrics.ts';
import { StoredAnswers } from '../actors/shard/host/stored-answers.ts';
import { RpcEnd } from '../actors/shard/wire/rpc.ts';
import type { SharedState } from '../actors/shard/wire/shared-state.ts';
import { threadPlatform } from '../actors/shard/wire/thread-platform.ts';
import { systemClock } from '../base/clock.ts';
import { watchEventLoop } from '../base/event-loop-watch.ts';
import { LineBuffer } from '../base/line-buffer.ts';
import { createLogger } from '../base/log.ts';
import type { LogLevel } from '../base/log-level.ts';
import { MetricRegistry } from '../base/metrics.ts';
import { INTERRUPTIONS } from '../control/figures/process-figures.ts';
import type { MainServices, ShardControl } from '../gateway/api/services.ts';
import { Cluster } from '../gateway/cluster/cluster.ts';
import { Gateway } from '../gateway/gateway.ts';
import type { SharedLimits } from '../gateway/http/limits.ts';
import type { TlsFiles } from '../gateway/http/tls-files.ts';
import { EventHub } from '../gateway/streams/event-hub.ts';
import { LogHub } from '../gateway/streams/log-hub.ts';
import { StoredEvents } from '../gateway/streams/stored-events.ts';
import { registerStreamMetrics } from '../gateway/streams/stream-metrics.ts';
import { programVersion } from '../store/files/program-version.ts';
import { nodeRanJobOf } from '../store/records/queue-node.ts';
import type { EventPage } from '../workers/task/task.ts';

export interface ShardExtra {
  readonly logFolder: string;
  readonly limits: SharedLimits;
  /** Milliseconds by which a server of a cluster is behind; null where one stands alone. */
  readonly behind: SharedArrayBuffer | null;
}

const data = workerData as ShardData & ShardExtra;
const lines = new LineBuffer();
const log = createLogger(lines, data.state.config.log.level as LogLevel, { thread: `shard-${data.index}` });
const metrics = new MetricRegistry();
const thread = `shard-${data.index}`;

const interruptions = metrics.counter(INTERRUPTIONS.name, INTERRUPTIONS.help);
const jobTotals = new JobTotals();
const tellLog = (signal: Signal): void => {
  if (signal.type === 'node.interruption') interruptions.add();
  jobTotals.add(signal);
  logSignal(log, signal, host.shared.config.node.ttl);
  logJobSignal(log, signal);
};
const host = new ShardHost(data, log, { onSignal: tellLog }, threadPlatform);

const liveNodes = (): Iterable<RunningNode | null> =>
  host.stored?.running(host.index) ?? runningNodes(host.system.inspect<NodeState>('node'));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const control: ShardControl = {
  connectPeer: async (index: number, port: MessagePort) => host.connectPeer(index, port),
  ready: () => started,
  update: async (state: SharedState) => {
    host.update(state);
    gateway.update(state);
    log.setLevel(state.config.log.level as LogLevel);
  },
  open: async (generation: number, tls: TlsFiles | null) => gateway.open(generation, tls),
  retire: (generation: number) => gateway.retire(generation),
  metrics: async () => metrics.snapshot(),
  figures: async () => ({ nodes: await countNodes(liveNodes(), turn), jobTotals: jobTotals.totals() }),
  agents: () => countAgents(liveNodes(), programVersion(), turn),
  ask: async (kind: string, id: string, message: { readonly type: string }) => {
    await started;
    return host.ask({ kind, id }, message as never);
  },
  stopIntake: async () => gateway.stopIntake(),
  drain: (deadlineMs: number) => gateway.drain(deadlineMs),
  stop: async () => {
    storedEvents?.close();
    await host.stop();
    lines.flush();
    end(0);
    return { jobTotals: jobTotals.totals(), interruptions: interruptions.value };
  },
  crash: async () => {
    setImmediate(() => {
      throw new Error('asked to crash by a test');
    });
  },
};

const rpc = new RpcEnd<MainServices>(parentPort as MessagePort, control, (error, method) =>
  log.error({ kind: 'bug', error, method }, 'a call from the main thread failed in a shard'),
);
lines.connect((text) => void rpc.remote.writeLog(text).catch(() => {}));
const storedEvents = data.state.cluster && data.state.cluster.role !== 'leader' ? new StoredEvents(host.reader) : null;
const events = new EventHub({
  clock: systemClock,
  listen: (onEvents) => (storedEvents ?? host).listen(onEvents),
  catchUp: () => (storedEvents ?? host).catchUp(),
  seesNode: (nodeId, queues) => {
    host.reader.refresh();
    return nodeRanJobOf(host.reader, nodeId, queues);
  },
  page: async (task) => (await rpc.remote.answer(task)) as EventPage,
  onUnreadable: () =>
    log.error(
      { kind: 'environment' },
      'cannot read a record of the event log: readers get a gap event instead; cairn_event_records_unreadable_total counts these',
    ),
});
const logs = new LogHub(rpc.remote, systemClock);
const cluster = data.state.cluster ? clusterOf(data.state) : null;
const gateway = new Gateway(
  { host, main: rpc.remote, log, logFolder: data.logFolder, events, logs, cluster },
  metrics,
  data.limits,
);
registerShardMetrics(metrics, host);
registerStreamMetrics(metrics, host.index, events, logs);
watchEventLoop(metrics, thread);
watchHeapGrowth();
if (cluster?.follows) host.stored = new StoredAnswers(host.reader, () => host.clock.monotonicMs());
const started = host.stored ? Promise.resolve() : host.start();

// A thread that ends with open sockets takes the whole process with it (Node aborts on the open handles), so a shard
// that fails closes them first, and main must have stopped handing it new ones by then.
process.on('uncaughtException', (error) => die(error));
process.on('unhandledRejection', (error) => die(error));

let dying = false;

function die(error: unknown): void {
  if (dying) return;
  dying = true;
  log.fatal({ kind: 'bug', error }, 'a shard failed and stops');
  lines.flush();
  const lock = new Int32Array(new SharedArrayBuffer(4));
  void rpc.remote.dying(lock).catch(() => {});
  Atomics.wait(lock, 0, 0, DYING_MS);
  // Calls that main made before it heard of this are not answered: an app opened now would outlive its thread in the acceptor.
  rpc.close();
  gateway.abandon();
  host.abandon();
  end(70);
}

function clusterOf(state: SharedState): Cluster {
  const behind = new Float64Array(data.behind ?? new SharedArrayBuffer(8));
  return new Cluster({ state, behindMs: () => behind[0] as number, barrier: () => rpc.remote.barrier() });
}

/** How long main may take to stop handing connections to this shard. */
const DYING_MS = 5_000;
/** Closed sockets leave the loop in its next turns, and those that waited for this thread come in them. */
const LAST_TURNS = 20;
function end(code: number, turns = LAST_TURNS): void {
  if (turns === 0) process.exit(code);
  gateway.cutLate();
  setTimeout(() => end(code, turns - 1), 1);
}
