/**
 * Heartbeats at a fixed rate over keep-alive connections, each timed from when it was due, so that a stall of the server is
 * not hidden by a client that waits for it.
 */
import http from 'node:http';
import { Latencies } from '../load/latencies.ts';
import { beatMetrics } from '../load/workload.ts';
import { nodeIdOf } from './fill-store.ts';

export interface BeatProbe {
  /** Of those answered since the last call; `refused` counts the 503 of an overloaded server. */
  take(): { readonly latencies: Latencies; readonly refused: number };
  stop(): Promise<void>;
}

const CONNECTIONS = 32;
const TICK_MS = 5;

export function startBeats(base: string, nodes: number, perSecond: number): BeatProbe {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const bodies = Array.from({ length: 64 }, (_, i) => JSON.stringify({ metrics: beatMetrics(i) }));
  const begunMs = performance.now();
  const open = new Set<Promise<void>>();
  let latencies = new Latencies();
  let refused = 0;
  let sent = 0;
  const beat = (dueMs: number): void => {
    const i = sent++;
    const path = `${base}/api/v1/node/${nodeIdOf(i % nodes)}/heartbeat`;
    const done = new Promise<void>((resolve, reject) => {
      const headers = { 'content-type': 'application/json' };
      const request = http.request(path, { method: 'POST', agent, headers }, (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 200) latencies.record((performance.now() - dueMs) * 1_000);
          else if (response.statusCode === 503) refused++;
          else return reject(new Error(`a beat was answered ${response.statusCode}`));
          resolve();
        });
      });
      request.once('error', reject);
      request.end(bodies[i % bodies.length]);
    });
    open.add(done);
    void done.finally(() => open.delete(done));
  };
  const timer = setInterval(() => {
    for (let dueMs = nextDue(); dueMs <= performance.now(); dueMs = nextDue()) beat(dueMs);
  }, TICK_MS);
  const nextDue = (): number => begunMs + (sent * 1_000) / perSecond;
  return {
    take: () => {
      const taken = { latencies, refused };
      latencies = new Latencies();
      refused = 0;
      return taken;
    },
    stop: async () => {
      clearInterval(timer);
      await Promise.all(open);
      agent.destroy();
    },
  };
}
