/** A shard that crashes under load: it comes back, nothing acknowledged is lost or doubled, the process lives on. */
import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Server } from '../../src/server/server.ts';
import { type Answer, Api, until } from '../support/api.ts';
import { makeFolders, removeFolders, type ServerFolders } from '../support/server-process.ts';

const SHARDS = 2;

/** The joined program, as in every other test of this layer: each crash loads the modules of a shard again, in a third of the time. */
const { Server: Program } = (await import(resolve('bundle/src/server/server.js'))) as { Server: typeof Server };

/** A server in this process, which ends with the test, also with one that fails. */
async function startHere(t: TestContext, folders: ServerFolders): Promise<Server> {
  const server = await Program.start({
    dataFolder: folders.data,
    logFolder: folders.log,
    addr: 'http://127.0.0.1:0',
    given: { addr: false, logFolder: false, staticFolder: false },
    logRoots: [],
    staticFolder: folders.data,
    publicNames: [],
    acme: null,
    shards: SHARDS,
    workers: 1,
    warmUp: false,
    onGiveUp: () => assert.fail('the server gave up'),
  });
  t.after(async () => {
    await server.stop();
    await removeFolders(folders);
  });
  return server;
}

/** Shards are away for a quarter of a second after each crash, and for some more while they start on a busy machine. */
const TAKEN_WITHIN_MS = 60_000;

/** Sends until it is acknowledged, as a worker does: a reset or a 503 is tried again with the same body. */
async function sendUntilTaken(api: Api, path: string, body: unknown): Promise<number> {
  const endMs = Date.now() + TAKEN_WITHIN_MS;
  for (let tries = 1; Date.now() < endMs; tries++) {
    const status = await api.post(path, body).then(
      ({ status: got }) => got,
      () => 0,
    );
    if (status === 200) return tries;
    assert.ok(status === 0 || status === 503 || status === 500, `${path} answered ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${path} was never taken`);
}

test('shards that crash under load come back, and lose and double nothing that was acknowledged', async (t) => {
  const folders = await makeFolders();
  const server = await startHere(t, folders);
  const api = new Api(server.address);
  const base = Date.now() - 3_600_000;
  const stamp = (n: number): string => new Date(base + n * 1_000).toISOString();
  let crashing = true;
  const crashes = (async () => {
    for (let i = 0; i < 6; i++) {
      await new Promise((resolve) => setTimeout(resolve, 250));
      await server.crashShard(i % SHARDS).catch(() => {});
    }
    crashing = false;
  })();
  let jobs = 0;
  const worker = async (name: string): Promise<void> => {
    for (let n = 0; crashing || n < 20; n++) {
      const id = `${name}-${n}`;
      const events = [
        { timestamp: stamp(n), eventType: 'Job-Running' },
        { timestamp: stamp(n + 60), eventType: 'Job-Succeeded' },
      ];
      await sendUntilTaken(api, '/api/v1/job', { id, queueName: 'crash', cpus: 2, events });
      jobs++;
    }
  };
  await Promise.all([crashes, ...Array.from({ length: 8 }, (_, i) => worker(`w${i}`))]);
  await until(
    () =>
      api.get('/readyz').then(
        ({ json }) => json.reasons?.length ?? 1,
        () => 1,
      ),
    (count) => count === 0,
    'every shard to be back',
    TAKEN_WITHIN_MS,
  );
  const listed = (await api.get('/api/v1/job')).json as { id: string; events: unknown[] }[];
  assert.equal(listed.length, jobs);
  assert.ok(listed.every(({ events }) => events.length === 2));
  const total = async (metric: string): Promise<number> => {
    const { json } = await api.get(`/api/v1/metricValue/queue-crash/metricDef-${metric}?interval=24h`);
    return json.points.reduce((sum: number, point: { value: number }) => sum + point.value, 0);
  };
  assert.equal(await total('jobSubmitted'), jobs);
  assert.equal(await total('coreTime'), jobs * 120);
  const metrics = (await api.get('/metrics')).text;
  assert.match(metrics, /^cairn_shard_restarts_total [1-9]/m);
  api.close();
});

test('claims that were acknowledged hold through crashes of their shards, and epochs only rise', async (t) => {
  const folders = await makeFolders();
  const server = await startHere(t, folders);
  const api = new Api(server.address);
  for (const id of ['holder', 'other']) await api.put(`/api/v1/node/${id}`, {});
  const jobs = Array.from({ length: 6 }, (_, i) => `claimed-${i}`);
  const epochs = new Map<string, number>();
  /** 200 with its epoch, or 409; what a shard that is away answers is asked again. */
  const claim = (job: string, nodeId: string): Promise<Answer> =>
    until(
      () => api.put(`/api/v1/job/${job}/claim`, { nodeId, queueName: 'q' }).catch(() => undefined),
      (answer) => answer?.status === 200 || answer?.status === 409,
      `an answer about ${job}`,
      TAKEN_WITHIN_MS,
    ) as Promise<Answer>;
  for (let round = 0; round < 3; round++) {
    const crashes = Promise.all([0, 1].map((shard) => server.crashShard(shard).catch(() => {})));
    await Promise.all(
      jobs.map(async (job) => {
        const { status, json } = await claim(job, 'holder');
        assert.equal(status, 200, JSON.stringify(json));
        assert.ok(json.epoch > (epochs.get(job) ?? 0), `${job}: ${json.epoch} after ${epochs.get(job)}`);
        epochs.set(job, json.epoch);
      }),
    );
    await crashes;
    for (const job of jobs) {
      const { status, json } = await claim(job, 'other');
      assert.equal(status, 409);
      // A claim whose answer was lost with the shard may stand behind the one that was told.
      assert.ok(json.fields.nodeId === 'holder' && json.fields.epoch >= (epochs.get(job) as number));
    }
  }
  api.close();
});

test('nodes keep a full TTL when their shard crashes', async (t) => {
  const folders = await makeFolders();
  const server = await startHere(t, folders);
  const api = new Api(server.address);
  const ids = Array.from({ length: 8 }, (_, i) => `n${i}`);
  for (const id of ids) await api.put(`/api/v1/node/${id}`, {});
  for (let shard = 0; shard < SHARDS; shard++) await server.crashShard(shard);
  await until(
    () =>
      api.get('/readyz').then(
        ({ json }) => json.reasons?.length ?? 1,
        () => 1,
      ),
    (count) => count === 0,
    'every shard to be back',
    TAKEN_WITHIN_MS,
  );
  assert.deepEqual(
    (await api.get('/api/v1/node')).json.map(({ id }: { id: string }) => id),
    ids,
  );
  api.close();
});
