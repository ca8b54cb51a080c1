/** Jobs go when their time is up, and only they (contract section 5), with settings that are changed while the server runs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, until } from '../support/api.ts';
import { withServer } from '../support/with-server.ts';

let api: Api;

withServer({ args: ['--shards', '2'] }, (served) => {
  ({ api } = served);
});

const HOUR_MS = 3_600_000;
const nowMs = Date.now();

function ended(id: string, last: string, hoursAgo: number): object {
  const timestamp = new Date(nowMs - hoursAgo * HOUR_MS).toISOString();
  return { id, queueName: 'kept', events: [{ timestamp, eventType: last }] };
}

async function ids(query = ''): Promise<string[]> {
  return (await api.get(`/api/v1/job?sort=id${query}`)).json.map(({ id }: { id: string }) => id);
}

async function become(wanted: readonly string[], what: string): Promise<void> {
  await until(ids, (found) => JSON.stringify(found) === JSON.stringify(wanted), what);
}

test('a sweep removes each ended job when the time of its status is up, whenever the settings change', async () => {
  const many = Array.from({ length: 450 }, (_, i) => ended(`many-${i}`, 'Job-Succeeded', 73 + i));
  await api.post('/api/v1/job', [
    ...many,
    ended('failed-6d', 'Job-Failed', 6 * 24),
    ended('failed-8d', 'Job-Failed', 8 * 24),
    ended('running-100d', 'Job-Running', 100 * 24),
    ended('stopped-6d', 'Job-Stopped', 6 * 24),
    ended('stopped-8d', 'Job-Stopped', 8 * 24),
    ended('succeeded-2d', 'Job-Succeeded', 2 * 24),
    ended('volume-100d', 'Volume-Created', 100 * 24),
  ]);
  assert.equal((await ids()).length, 457);
  await api.configKv({ 'job.retentionInterval': '200ms' });
  const kept = ['failed-6d', 'running-100d', 'stopped-6d', 'succeeded-2d', 'volume-100d'];
  await become(kept, 'what the default times leave');
  assert.deepEqual(await ids('&status=Succeeded'), ['succeeded-2d']);
  assert.equal((await api.get('/api/v1/job/many-1')).status, 404);
  await api.configKv({ 'job.successTTL': '24h' });
  await become(['failed-6d', 'running-100d', 'stopped-6d', 'volume-100d'], 'the shorter time of successful jobs');
  await api.configKv({ 'job.failureTTL': '48h' });
  await become(['running-100d', 'volume-100d'], 'the shorter time of failed jobs');
});

test('a job that is opened again, or ends now, stays', async () => {
  await api.configKv({ 'job.retentionInterval': '1h' });
  await api.post('/api/v1/job', [ended('reopened', 'Job-Succeeded', 100), ended('again', 'Job-Failed', 100)]);
  const timestamp = new Date().toISOString();
  await api.post('/api/v1/job/reopened/event', { timestamp, eventType: 'Job-Running' });
  await api.post('/api/v1/job/again/event', { timestamp, eventType: 'Job-Failed' });
  await api.post('/api/v1/job', ended('witness', 'Job-Failed', 100));
  await api.configKv({ 'job.retentionInterval': '200ms' });
  await become(['again', 'reopened', 'running-100d', 'volume-100d'], 'the witness to be swept');
});
