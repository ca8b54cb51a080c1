/**
 * Many readers of one stream, in a process of their own: raw sockets that throw bytes away, so that a thousand of them cost
 * little. The first one looks for marks (`@<milliseconds>@`) that the sender wrote, and so knows how long each was in flight.
 *
 * Messages in: `{take: true}` → the figures since the last; `{last: mark}` → when every reader has seen that text.
 */
import net from 'node:net';
import { Latencies } from '../load/latencies.ts';

/** What a reader keeps of its end, to find a mark that two chunks share. */
const KEPT = 400;

const [host = '', port = '', path = '', count = ''] = process.argv.slice(2);
const request = `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`;
const ends: string[] = [];
let bytes = 0;
let latencies = new Latencies();
let cut = 0;
let answered = 0;
let onChunk: () => void = () => {};

for (let i = 0; i < Number(count); i++) open(i);

function open(i: number): void {
  const socket = net.connect({ host, port: Number(port) }, () => socket.write(request));
  ends[i] = '';
  socket.on('data', (chunk) => {
    if (bytes >= 0 && ends[i] === '' && ++answered === Number(count)) process.send?.({ opened: count });
    bytes += chunk.length;
    if (i === 0) lookForMarks(chunk);
    ends[i] = (ends[i] + chunk.toString('latin1', Math.max(0, chunk.length - KEPT))).slice(-KEPT);
    onChunk();
  });
  socket.on('close', () => {
    cut++;
    onChunk();
  });
  socket.on('error', () => {});
}

function lookForMarks(chunk: Buffer): void {
  const nowMs = Date.now();
  for (const [, mark] of chunk.toString('latin1').matchAll(/@(\d+)@/g))
    latencies.record((nowMs - Number(mark)) * 1_000);
}

process.on('message', (message: { readonly take?: true; readonly last?: string }) => {
  if (message.take) {
    process.send?.({ bytes, cut, counts: [...latencies.counts] });
    bytes = 0;
    latencies = new Latencies();
  }
  const { last } = message;
  if (last === undefined) return;
  onChunk = () => {
    if (cut === 0 && !ends.every((end) => end.includes(last))) return;
    onChunk = () => {};
    process.send?.({ reached: cut === 0 });
  };
  onChunk();
});
