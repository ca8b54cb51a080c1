/** Runs a load plan in a process of its own and adds what the server's process used meanwhile. */
import { fork } from 'node:child_process';
import type { LoadPlan, LoadResult } from './http-load.ts';
import { Latencies } from './latencies.ts';
import { cpuSeconds } from './process-cpu.ts';

export interface Measured {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** User and system CPU of the server's process, all threads, per answered request. */
  readonly cpuMicroseconds: number;
  readonly answered: number;
  readonly failed: number;
}

type Sent = Omit<LoadResult, 'latencies'> & { readonly counts: number[] };

export async function measure(serverPid: number, plan: LoadPlan): Promise<Measured> {
  const child = fork(new URL('./load-process.js', import.meta.url), { serialization: 'advanced' });
  const before = cpuSeconds(serverPid);
  const sent = new Promise<Sent>((resolve, reject) => {
    child.once('message', (message) => resolve(message as Sent));
    child.once('exit', (code) => reject(new Error(`the load process ended with ${code}`)));
  });
  child.send(plan);
  const { answered, failed, seconds, counts } = await sent;
  const cpu = cpuSeconds(serverPid) - before;
  const latencies = new Latencies(Float64Array.from(counts));
  return {
    perSecond: answered / seconds,
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    cpuMicroseconds: (cpu * 1e6) / Math.max(1, answered),
    answered,
    failed,
  };
}

export function medianOf<T>(runs: readonly T[], figure: (run: T) => number): T {
  const sorted = [...runs].sort((a, b) => figure(a) - figure(b));
  return sorted[Math.floor(sorted.length / 2)] as T;
}
