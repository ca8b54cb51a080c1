/**
 * Bytes from a pool thread to a shard, over a port of their own, with back-pressure: the reader grants credit (chunks it
 * is ready to take), the writer stops when there is none. So a slow client costs a few chunks of memory, not the answer.
 */
import type { MessagePort } from 'node:worker_threads';
import { CodedError, errorOf, type Failure, failureOf } from '../../base/errors.ts';
import type { BufferPool } from './buffer-pool.ts';

type FromSource =
  | { readonly type: 'chunk'; readonly bytes: Uint8Array }
  | { readonly type: 'end' }
  | { readonly type: 'fail'; readonly failure: Failure };
type FromSink =
  /** With the buffer of a chunk that is not needed any more, where the reader gives them back. */
  { readonly type: 'more'; readonly credit: number; readonly buffer?: ArrayBuffer } | { readonly type: 'cancel' };

/** Chunks in flight: enough that the reader never waits for the pool, little enough to bound memory (4 × 256 KiB). */
const CREDIT = 4;

/**
 * Sends everything the generator yields. Chunks are handed over: each must own its buffer. Resolves when done or cancelled.
 * An empty chunk is not sent: with it a source that finds nothing for a while lets itself be cancelled. `bufferPool` gets the
 * buffers that come back.
 */
export async function sendStream(
  port: MessagePort,
  chunks: AsyncIterable<Uint8Array>,
  bufferPool?: BufferPool,
): Promise<void> {
  let credit = 0;
  let cancelled = false;
  let wake: () => void = () => {};
  const onMessage = (message: FromSink): void => {
    if (message.type === 'cancel') cancelled = true;
    else {
      credit += message.credit;
      if (message.buffer) bufferPool?.give(message.buffer);
    }
    wake();
  };
  port.on('message', onMessage);
  port.on('close', () => onMessage({ type: 'cancel' }));
  try {
    // The reader may have gone while the task waited for a thread.
    await turns();
    if (cancelled) return;
    for await (const bytes of chunks) {
      if (bytes.byteLength === 0) {
        await turns();
        if (cancelled) return;
        continue;
      }
      while (credit === 0 && !cancelled) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (cancelled) return;
      credit--;
      port.postMessage({ type: 'chunk', bytes } satisfies FromSource, [bytes.buffer as ArrayBuffer]);
    }
    port.postMessage({ type: 'end' } satisfies FromSource);
  } catch (error) {
    const failure: Failure =
      error instanceof CodedError ? failureOf(error) : { name: 'internal', detail: String(error) };
    if (!cancelled) port.postMessage({ type: 'fail', failure } satisfies FromSource);
  } finally {
    port.close();
  }
}

/** As many of the event loop as a message that is there needs to be heard. */
async function turns(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * The other end. Breaking off the iteration cancels the source; `refused` tells that no source ever took the port. With
 * `givesBack` a chunk is the reader's only until it asks for the next: its buffer goes back to be filled again. `onBegin`
 * gets what ends the stream at once: a generator that waits for a chunk hears of its `return` only with that chunk.
 */
export async function* receiveStream(
  port: MessagePort,
  refused: Promise<Failure>,
  givesBack = false,
  onBegin: (stop: () => void) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const arrived: FromSource[] = [];
  let wake: () => void = () => {};
  const onMessage = (message: FromSource): void => {
    arrived.push(message);
    wake();
  };
  port.on('message', onMessage);
  port.on('close', () =>
    onMessage({ type: 'fail', failure: { name: 'overloaded', detail: 'the stream was interrupted' } }),
  );
  void refused.then((failure) => onMessage({ type: 'fail', failure }));
  onBegin(() => {
    arrived.length = 0;
    onMessage({ type: 'end' });
  });
  port.postMessage({ type: 'more', credit: CREDIT } satisfies FromSink);
  try {
    for (;;) {
      const message = arrived.shift();
      if (!message) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      if (message.type === 'end') return;
      if (message.type === 'fail') throw errorOf(message.failure);
      yield message.bytes;
      const buffer = message.bytes.buffer as ArrayBuffer;
      if (givesBack) port.postMessage({ type: 'more', credit: 1, buffer } satisfies FromSink, [buffer]);
      else port.postMessage({ type: 'more', credit: 1 } satisfies FromSink);
    }
  } finally {
    port.postMessage({ type: 'cancel' } satisfies FromSink);
    port.close();
  }
}
