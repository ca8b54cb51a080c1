/** What a time-series database is asked to do beside us: take the same measures, answer the same questions. */
import type { ChildProcess } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { type Agent, request } from 'node:http';
import { join } from 'node:path';
import type { Measure } from './measures.ts';

export interface Answer {
  readonly status: number;
  readonly bytes: number;
}

export interface SeriesPeer {
  readonly name: string;
  readonly pid: number;
  /** Measures come in order of time, give or take a period. */
  add(measure: Measure): Promise<void>;
  flush(): Promise<void>;
  /** Everything is on disk as it stays there, as far as the peer can be asked to see to that. */
  settle(): Promise<void>;
  /** On disk, without what is only there until the next compaction where that can be told apart. */
  bytes(): Promise<number>;
  /** The average of each minute of a series. */
  query(metric: string, node: number, fromMs: number, toMs: number, stepSeconds: number): Promise<Answer>;
  stop(): Promise<void>;
}

const START_MS = 30_000;

/** Resolves when the peer answers `ask` with 200; ends it and throws where it does not. */
export async function untilReady(name: string, child: ChildProcess, ask: () => Promise<Answer>): Promise<void> {
  const deadline = performance.now() + START_MS;
  while (performance.now() < deadline) {
    const answer = await ask().catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGKILL');
  throw new Error(`${name} did not answer within ${START_MS} ms`);
}

/** One request over a kept connection; resolves when the whole answer is here. */
export function ask(
  agent: Agent,
  port: number,
  method: string,
  path: string,
  body: string | Uint8Array,
  more: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = body.length === 0 ? {} : { 'content-length': Buffer.byteLength(body), ...more };
    const call = request({ host: '127.0.0.1', port, method, path, agent, headers }, (answer) => {
      let bytes = 0;
      answer.on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes }));
      answer.on('error', reject);
    });
    call.on('error', reject);
    call.end(body);
  });
}

export function folderBytes(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    try {
      bytes += entry.isDirectory() ? folderBytes(path) : statSync(path).blocks * 512;
    } catch {
      // A part that was merged away while we looked.
    }
  }
  return bytes;
}
