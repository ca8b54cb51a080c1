/** Starts readers of one stream in a process of their own, and asks it for its figures. */
import { type ChildProcess, fork } from 'node:child_process';
import { Latencies } from '../load/latencies.ts';

export interface StreamFigures {
  readonly bytes: number;
  /** Of the first reader: from the mark in a line to its arrival. */
  readonly latencies: Latencies;
}

export interface StreamReaders {
  take(): Promise<StreamFigures>;
  /** Resolves when every reader has seen the text; throws where one was cut before. */
  last(text: string): Promise<void>;
  stop(): void;
}

/** Resolves when each reader has got its first bytes. */
export async function startReaders(base: string, path: string, count: number): Promise<StreamReaders> {
  const { hostname, port } = new URL(base);
  const child = fork(new URL('./stream-process.js', import.meta.url), [hostname, port, path, String(count)]);
  await said(child);
  const ask = async (message: object): Promise<Record<string, unknown>> => {
    const answer = said(child);
    child.send(message);
    return answer;
  };
  return {
    take: async () => {
      const { bytes, cut, counts } = await ask({ take: true });
      if (cut !== 0) throw new Error(`${cut} of ${count} readers were cut`);
      return { bytes: bytes as number, latencies: new Latencies(Float64Array.from(counts as number[])) };
    },
    last: async (text) => {
      if ((await ask({ last: text }))['reached'] !== true) throw new Error('a reader was cut before the end');
    },
    stop: () => void child.kill('SIGKILL'),
  };
}

function said(child: ChildProcess): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('the process of the readers ended'));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message as Record<string, unknown>);
    });
  });
}
