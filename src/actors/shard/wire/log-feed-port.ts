/**
 * A log's feed over a port, from main to a shard. Bytes that the shard has not taken are bounded; beyond that they are left
 * out, and the shard sees it by the next position: its followers read from the files what it was not sent. So that a log
 * that falls silent then does not leave them waiting, the position alone is sent as soon as there is room.
 */
import type { MessagePort } from 'node:worker_threads';
import type { LogFeed } from '../../../store/logs/log-feed.ts';

export type FromFeed =
  | { readonly type: 'bytes'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly type: 'end' };

/** From the shard: so many bytes were taken. */
export interface FeedTaken {
  readonly type: 'taken';
  readonly size: number;
}

/** Bytes in flight to one shard. */
const IN_FLIGHT_MAX = 4 * 1024 * 1024;

/** Sends until the port closes. */
export function sendFeed(feed: LogFeed, port: MessagePort): void {
  let inFlight = 0;
  /** Position behind what was left out last; null where nothing was since the last message. */
  let leftOutTo: number | null = null;
  const send = (position: number, bytes: Uint8Array): void => {
    leftOutTo = null;
    inFlight += bytes.byteLength;
    const copy = Uint8Array.from(bytes);
    port.postMessage({ type: 'bytes', position, bytes: copy } satisfies FromFeed, [copy.buffer]);
  };
  const tellLeftOut = (): void => {
    if (leftOutTo !== null) send(leftOutTo, NOTHING);
  };
  const stop = feed.listen({
    bytes: (position, bytes) => {
      if (inFlight > IN_FLIGHT_MAX) leftOutTo = position + bytes.byteLength;
      else send(position, bytes);
    },
    end: () => {
      tellLeftOut();
      port.postMessage({ type: 'end' } satisfies FromFeed);
    },
  });
  port.on('message', ({ size }: FeedTaken) => {
    inFlight -= size;
    if (inFlight <= IN_FLIGHT_MAX) tellLeftOut();
  });
  port.on('close', stop);
}

const NOTHING = new Uint8Array(0);

export interface FeedEvents {
  /** Without bytes: those before the position were left out. */
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
