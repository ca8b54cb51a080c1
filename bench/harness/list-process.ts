/** Reads one list again and again, throwing the bytes away, until it is told to stop; then tells how each went and ends. */
import http from 'node:http';
import type { ListPlan, ListRead } from './list-reader.ts';

process.once('message', (plan: ListPlan) => void readUntilStopped(plan));

async function readUntilStopped({ host, port, path }: ListPlan): Promise<void> {
  let isStopped = false;
  process.once('message', () => {
    isStopped = true;
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const reads: ListRead[] = [];
  do reads.push(await readOnce(agent, host, port, path));
  while (!isStopped);
  process.send?.(reads, () => process.exit(0));
}

function readOnce(agent: http.Agent, host: string, port: number, path: string): Promise<ListRead> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const request = http.get({ agent, host, port, path }, (response) => {
      const firstByteMs = performance.now() - begun;
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.byteLength;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode !== 200) reject(new Error(`${path} answered ${response.statusCode}`));
        else resolve({ firstByteMs, totalMs: performance.now() - begun, bytes });
      });
    });
    request.on('error', reject);
  });
}
