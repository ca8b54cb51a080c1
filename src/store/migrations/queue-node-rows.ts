/** On which nodes jobs of a queue ran: rows that came with schema 4, of jobs that were placed before. */
import type { JobEvent } from '../../protocol/job.ts';
import { places } from '../../protocol/run-segments.ts';
import type { Reader } from '../kv/store.ts';
import type { WriteBatch } from '../kv/write-batch.ts';
import { eventsJsonOf, readEventRows } from '../records/job-event-row.ts';
import { decodeJobRecord, hasEventRows } from '../records/job-record.ts';
import { queueNodeKey } from '../records/queue-node.ts';
import { batchesOfJobs, JOBS_AT_ONCE } from './job-walk.ts';

const NOTHING = new Uint8Array(0);

/** A row more than once is the same row, so an attempt that was cut short may be started over. */
export function* queueNodeRows(reader: Reader, atOnce = JOBS_AT_ONCE): Generator<WriteBatch> {
  yield* batchesOfJobs(reader, atOnce, (batch, record) => addRows(batch, reader, record));
}

function addRows(batch: WriteBatch, reader: Reader, record: Uint8Array): void {
  const { id, queueName, nodeOid, events } = decodeJobRecord(record).job;
  const oids = new Set([nodeOid]);
  const add = (list: readonly JobEvent[]): void => {
    for (const event of list) if (places(event.eventType)) oids.add(event.nodeOid ?? '');
  };
  add(events as readonly JobEvent[]);
  if (hasEventRows(record)) {
    for (const [, row] of readEventRows(reader, id)) {
      const text = Buffer.from(eventsJsonOf(row)).toString('utf8');
      add(JSON.parse(`[${text}]`) as JobEvent[]);
    }
  }
  for (const oid of oids) if (oid !== '') batch.put('queueNode', queueNodeKey(oid, queueName), NOTHING);
}
