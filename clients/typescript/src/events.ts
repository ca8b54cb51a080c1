/** The event stream, connected again where it breaks off, after the last event that was received. */
import { createParser } from 'eventsource-parser';
import { type Connection, pause, send, waitMs } from './connection.ts';
import type { paths } from './schema.ts';

type EventQuery = NonNullable<paths['/api/v1/event']['get']['parameters']['query']>;

export interface EventOptions extends EventQuery {
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal;
}

export interface CairnEvent {
  /** Position in the stream: give it as `lastEventId` to continue after this event. */
  readonly id: string;
  /** Such as `job.event`, `node.lost` or `gap`. A `gap` says that events are missing here: read the lists again. */
  readonly event: string;
  readonly data: { readonly time: string; readonly [name: string]: unknown };
}

/** The server's blocks are far smaller. */
const BLOCK_LENGTH_MAX = 1_048_576;

/** Until the signal ends it; with `follow: false`, until the last event that is stored. */
export async function* events(
  connection: Connection,
  { signal, ...query }: EventOptions,
): AsyncGenerator<CairnEvent, void, undefined> {
  const url = new URL(`${connection.baseUrl}/api/v1/event`);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  const position: Position = { id: undefined };
  for (let failures = 0; !signal?.aborted; ) {
    try {
      const headers = {
        accept: 'text/event-stream',
        ...(position.id === undefined ? {} : { 'last-event-id': position.id }),
      };
      const { body } = await send(connection, url, { headers, signal: signal ?? null });
      failures = 0;
      if (body) yield* eventsIn(body, position);
      if (query.follow === false) return;
    } catch (error) {
      if (signal?.aborted) return;
      // A connection that breaks fails with a TypeError by the Fetch standard; all else is not mended by another attempt.
      if (!(error instanceof TypeError)) throw error;
    }
    failures += 1;
    await pause(waitMs(failures), signal);
  }
}

interface Position {
  id: string | undefined;
}

async function* eventsIn(body: ReadableStream<Uint8Array>, position: Position): AsyncGenerator<CairnEvent> {
  let ready: CairnEvent[] = [];
  let pending: string | undefined;
  const parser = createParser({
    onId: (id) => {
      pending = id;
    },
    onEvent: ({ id, event, data }) => ready.push({ id: id ?? '', event: event ?? 'message', data: JSON.parse(data) }),
  });
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += decoder.decode(value, { stream: true });
      // Whole blocks only: the id of a block whose data is still to come must not count as received.
      const end = rest.lastIndexOf('\n\n') + 1;
      if (end > 0) {
        parser.feed(rest.slice(0, end + 1));
        rest = rest.slice(end + 1);
      }
      if (rest.length > BLOCK_LENGTH_MAX) throw new Error('the event stream has a block of more than 1 MiB');
      const received = ready;
      ready = [];
      for (const event of received) {
        yield event;
        position.id = event.id;
      }
      // A block without data only says how far the stream has come.
      position.id = pending ?? position.id;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
