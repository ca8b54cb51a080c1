/** Runs a load plan in a process of its own and adds what the server's process used meanwhile. */
import { type ChildProcess, fork } from 'node:child_process';
import { endsWithUs } from './children.ts';
import { Latencies } from './latencies.ts';
import type { Bin, FromLoad, LoadPlan, LoadResult, Tally } from './load-plan.ts';
import { cpuSeconds } from './process-cpu.ts';

export interface PhaseMeasured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly answered: number;
  readonly refused: number;
  readonly retryAfter: number;
  readonly failed: number;
  readonly givenUp: number;
  /** User and system CPU of the server's process, all threads, in seconds. */
  readonly cpuSeconds: number;
}

export interface Measured extends PhaseMeasured {
  /** The same per answered message. */
  readonly cpuMicroseconds: number;
  readonly seconds: number;
  readonly phases: readonly PhaseMeasured[];
  readonly bins: readonly Bin[];
  /** Open loop: how late the generator looked at a due message. */
  readonly lagP99Ms: number;
}

/** A load that is connected and waits. `run` must be called once; `cancel` ends it without a result. */
export interface ReadyLoad {
  run(): Promise<Measured>;
  cancel(): void;
}

export async function measure(serverPid: number, plan: LoadPlan): Promise<Measured> {
  const load = await prepareLoad(serverPid, plan);
  return load.run();
}

export async function prepareLoad(serverPid: number, plan: LoadPlan): Promise<ReadyLoad> {
  const child = endsWithUs(fork(new URL('./load-process.js', import.meta.url), { serialization: 'advanced' }));
  const marks: number[] = [];
  const { connected, done } = conversation(child, () => marks.push(cpuSeconds(serverPid)));
  child.send({
    ...plan,
    bytes: Array.isArray(plan.bytes) ? plan.bytes.map((bytes) => Uint8Array.from(bytes)) : plan.bytes,
  });
  await connected;
  return {
    run: async () => {
      child.send('go');
      const result = await done;
      marks.push(cpuSeconds(serverPid));
      return measuredOf(result, plan, marks);
    },
    cancel: () => {
      child.disconnect();
      child.kill('SIGKILL');
    },
  };
}

function conversation(
  child: ChildProcess,
  onPhase: () => void,
): { readonly connected: Promise<void>; readonly done: Promise<LoadResult> } {
  let onConnected: () => void;
  let onDone: (result: LoadResult) => void;
  let onFailed: (error: Error) => void;
  const done = new Promise<LoadResult>((resolve, reject) => {
    onDone = resolve;
    onFailed = reject;
  });
  const connected = new Promise<void>((resolve, reject) => {
    onConnected = resolve;
    done.catch(reject);
  });
  child.on('message', (message: FromLoad) => {
    if (message.type === 'connected') onConnected();
    else if (message.type === 'phase') onPhase();
    else if (message.type === 'done') onDone(message.result);
    else onFailed(new Error(message.message));
  });
  child.once('exit', (code, signal) => onFailed(new Error(`the load process ended with ${code ?? signal}`)));
  return { connected, done };
}

function measuredOf(result: LoadResult, { phases }: LoadPlan, marks: readonly number[]): Measured {
  const first = marks[0] as number;
  const whole = phaseOf(result, result.seconds, (marks.at(-1) as number) - first);
  return {
    ...whole,
    cpuMicroseconds: (whole.cpuSeconds * 1e6) / Math.max(1, result.answered),
    seconds: result.seconds,
    phases: result.phases.map((tally, i) =>
      phaseOf(tally, phases?.[i]?.seconds ?? result.seconds, (marks[i + 1] as number) - (marks[i] as number)),
    ),
    bins: result.bins,
    lagP99Ms: new Latencies(Float64Array.from(result.lagCounts)).quantile(0.99),
  };
}

function phaseOf(tally: Tally, seconds: number, cpu: number): PhaseMeasured {
  const { answered, refused, retryAfter, failed, givenUp, counts } = tally;
  const latencies = new Latencies(Float64Array.from(counts));
  return {
    perSecond: answered / seconds,
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    answered,
    refused,
    retryAfter,
    failed,
    givenUp,
    cpuSeconds: cpu,
  };
}
