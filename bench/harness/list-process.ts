/** Reads one list again and again, throwing the bytes away, until it is told to stop; then tells how each went and ends. */
import http from 'node:http';
import type { ListPlan, ListRead } from './list-reader.ts';

// Without the bench there is nobody to tell; a bench that was killed leaves no load behind.
process.once('disconnect', () => process.exit(1));
process.once('message', (plan: ListPlan) => {
  readUntilStopped(plan).catch((error: Error) => {
    process.stderr.write(`cannot read the list ${plan.path}: ${error.message}\n`);
    process.exit(1);
  });
});

async function readUntilStopped({ host, port, path, everyMs }: ListPlan): Promise<void> {
  let isStopped = false;
  let wake = (): void => {};
  process.once('message', () => {
    isStopped = true;
    wake();
  });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const reads: ListRead[] = [];
  while (!isStopped || reads.length === 0) {
    const begun = performance.now();
    reads.push(await readOnce(agent, host, port, path));
    const pauseMs = begun + everyMs - performance.now();
    if (pauseMs > 0 && !isStopped) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, pauseMs);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }
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
