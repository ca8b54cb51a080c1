/**
 * A job's record and the rows of its events are of one transaction: whenever the server is killed, all events that were
 * acknowledged are there, each once, and the record tells of just the rows that are there.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { textKey } from '../../src/store/kv/keys.ts';
import { openLmdbReader } from '../../src/store/kv/lmdb-store.ts';
import { EventRow, readEventRows } from '../../src/store/records/job-event-row.ts';
import { decodeJobRecord } from '../../src/store/records/job-record.ts';
import { Api } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';

const PART = 20;
/** Parts that are acknowledged before each kill; others are in flight then. */
const PARTS_BEFORE_KILL = [9, 4, 13];
const BEGUN_MS = Date.UTC(2026, 0, 31);

const eventAt = (i: number) => ({
  timestamp: new Date(BEGUN_MS + i * 1_000).toISOString(),
  eventType: i % 2 === 0 ? 'Job-Checkpointing' : 'Job-CheckpointSucceeded',
});

test('a killed server leaves the record and the rows of a job at one state', async (t) => {
  let server = await ServerProcess.start({ args: ['--shards', '1'] });
  t.after(() => server.dispose());
  const acknowledged = new Set<string>();
  let sent = 0;
  for (const parts of PARTS_BEFORE_KILL) {
    const api = new Api(server.address);
    const wanted = acknowledged.size + parts * PART;
    const sending: Promise<void>[] = [];
    while (acknowledged.size < wanted) {
      // Several at a time, so that the kill falls between some of them; the first is late.
      const batch = [2, 0, 1].map((part) => send(api, sent + part * PART, acknowledged));
      sent += batch.length * PART;
      sending.push(...batch);
      await Promise.race(batch);
    }
    await server.kill('SIGKILL');
    await Promise.all(sending);
    api.close();
    const stored = await timesIn(server);
    assert.equal(new Set(stored).size, stored.length, 'an event is there twice');
    const there = new Set(stored);
    assert.deepEqual(
      [...acknowledged].filter((time) => !there.has(time)),
      [],
      'an acknowledged event has gone',
    );
    server = await ServerProcess.start({ folders: server.folders, args: ['--shards', '1'] });
  }
});

async function send(api: Api, from: number, acknowledged: Set<string>): Promise<void> {
  const events = Array.from({ length: PART }, (_, i) => eventAt(from + i));
  const answer = await api.post('/api/v1/job/long/event?queueName=q', events).catch(() => undefined);
  if (answer?.status === 200) for (const { timestamp } of events) acknowledged.add(timestamp);
}

/** Times of all events, in the order of the rows and then of the record, which must tell of just these rows. */
async function timesIn(server: ServerProcess): Promise<string[]> {
  const reader = openLmdbReader(join(server.folders.data, 'db'));
  try {
    const record = reader.get('job', textKey('long')) as Uint8Array;
    const { meta, job } = decodeJobRecord(record);
    const rows = Array.from(readEventRows(reader, 'long'), ([number, row]) => new EventRow(number, row));
    const sealed = rows.flatMap(({ events }) => events.map(({ whole }) => whole.timestamp));
    assert.equal(meta.sealed?.count ?? 0, sealed.length);
    return [...sealed, ...job.events.map(({ timestamp }) => timestamp)];
  } finally {
    await reader.close();
  }
}
