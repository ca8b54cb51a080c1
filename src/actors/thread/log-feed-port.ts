/**
 * A log's feed over a port, from main to a shard. Bytes that the shard has not taken are bounded; beyond that they are left
 * out, and the shard sees it by the next position: its followers read from the files what it was not sent.
 */
import type { MessagePort } from 'node:worker_threads';
import type { LogFeed } from '../../store/log-feed.ts';

export type FromFeed =
  | { readonly type: 'bytes'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly type: 'end' };

/** From the shard: so many bytes were taken. */
export interface FeedTaken {
  readonly type: 'taken';
  readonly size: number;
}

/** Bytes under way to one shard. */
const UNDER_WAY_MAX = 4 * 1024 * 1024;

/** Sends until the port closes. */
export function sendFeed(feed: LogFeed, port: MessagePort): void {
  let underWay = 0;
  const stop = feed.listen({
    bytes: (position, bytes) => {
      if (underWay > UNDER_WAY_MAX) return;
      underWay += bytes.byteLength;
      const copy = Uint8Array.from(bytes);
      port.postMessage({ type: 'bytes', position, bytes: copy } satisfies FromFeed, [copy.buffer]);
    },
    end: () => port.postMessage({ type: 'end' } satisfies FromFeed),
  });
  port.on('message', ({ size }: FeedTaken) => {
    underWay -= size;
  });
  port.on('close', stop);
}

export interface FeedEvents {
  bytes(position: number, bytes: Uint8Array): void;
  /** Nothing more will come. */
  end(): void;
}

/** The shard's end; closing the port ends it. */
export function receiveFeed(port: MessagePort, events: FeedEvents): void {
  port.on('message', (message: FromFeed) => {
    if (message.type === 'end') {
      events.end();
      return;
    }
    port.postMessage({ type: 'taken', size: message.bytes.byteLength } satisfies FeedTaken);
    events.bytes(message.position, message.bytes);
  });
}
