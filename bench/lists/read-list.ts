/** Reads one list to its end in a process of its own and prints what it saw, so that the reading disturbs no other client. */
import http from 'node:http';

export interface ListRead {
  readonly firstByteMs: number;
  readonly totalMs: number;
  readonly bytes: number;
}

const [url = ''] = process.argv.slice(2);
const begunMs = performance.now();
let firstByteMs = 0;
let bytes = 0;
http.get(url, (response) => {
  response.on('data', (chunk: Buffer) => {
    firstByteMs ||= performance.now() - begunMs;
    bytes += chunk.byteLength;
  });
  response.on('end', () => {
    const read: ListRead = { firstByteMs, totalMs: performance.now() - begunMs, bytes };
    process.stdout.write(JSON.stringify(read));
  });
});
