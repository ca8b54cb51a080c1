/** Bits that a disk flips in the database: each damaged record is named, and costs only itself. A cut database is not served. */
import assert from 'node:assert/strict';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Api, until } from '../../support/api.ts';
import { cairn } from '../../support/operations/command.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { type Served, withServer } from '../../support/with-server.ts';

let served: Served;

withServer(
  { args: ['--shards', '2'] },
  (first) => {
    served = first;
  },
  () => served,
);

const databaseFile = (): string => join(served.server.folders.data, 'db', 'data.mdb');

async function stop(): Promise<void> {
  served.api.close();
  assert.equal(await served.server.kill('SIGTERM'), 0);
}

async function start(): Promise<void> {
  const server = await ServerProcess.start({ folders: served.server.folders, args: ['--shards', '2'] });
  served = { server, api: new Api(server.address) };
}

/** Flips a bit of every copy, of which one is in use. */
async function flipIn(...texts: readonly string[]): Promise<void> {
  const bytes = await readFile(databaseFile());
  for (const text of texts) {
    let count = 0;
    for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) {
      const last = at + text.length - 1;
      bytes[last] = (bytes[last] as number) ^ 1;
      count++;
    }
    assert.ok(count > 0, `${text} is not in the database`);
  }
  await writeFile(databaseFile(), bytes);
}

const jobIds = async (): Promise<string[]> =>
  (await served.api.get('/api/v1/job')).json.map(({ id }: { id: string }) => id).sort();

test('a damaged job, node and definition are named in log and doctor, and nothing else is lost', async () => {
  const { api } = served;
  const jobs = ['a', 'b', 'c'].map((id) => ({ id, queueName: 'q', name: `name of ${id}` }));
  assert.equal((await api.post('/api/v1/job', jobs)).json.accepted, 3);
  for (const id of ['n1', 'n2'])
    assert.equal((await api.put(`/api/v1/node/${id}`, { hostName: `host-${id}` })).status, 200);
  for (const id of ['d1', 'd2'])
    assert.equal(
      (await api.put(`/api/v1/metric/${id}`, { name: `metric ${id}`, unit: 'count', aggregation: 'sum' })).status,
      200,
    );
  await stop();
  await flipIn('"name":"name of b', '"hostName":"host-n1', '"name":"metric d1');
  await start();

  assert.deepEqual(await jobIds(), ['a', 'c']);
  assert.equal((await served.api.get('/api/v1/job/a')).json.name, 'name of a');
  const damaged = await served.api.get('/api/v1/job/b');
  assert.deepEqual([damaged.status, damaged.json.errorCode], [500, 9001]);
  const update = await served.api.post('/api/v1/job', [
    { id: 'b', queueName: 'q', name: 'again' },
    { id: 'c', queueName: 'q', name: 'again' },
  ]);
  assert.equal(update.json.accepted, 1);
  assert.deepEqual([update.json.rejected[0].id, update.json.rejected[0].errorCode], ['b', 9001]);
  // Jobs are counted by the rows of their indexes: the damaged one is still there.
  assert.equal((await served.api.get('/api/v1/queue')).json[0].total, 3);
  assert.equal((await served.api.get('/metrics')).status, 200);

  const nodes = (await served.api.get('/api/v1/node')).json.map(({ id }: { id: string }) => id);
  assert.deepEqual(nodes, ['n2']);
  // A node whose record is damaged registers again, as after DELETE, and is whole.
  assert.equal((await served.api.post('/api/v1/node/n1/heartbeat', {})).status, 404);
  assert.equal((await served.api.put('/api/v1/node/n1', { hostName: 'host-n1' })).status, 200);
  assert.equal((await served.api.post('/api/v1/node/n1/heartbeat', {})).status, 200);

  const { server } = served;
  const log = await until(
    () => server.logText(),
    (text) => ['"key":"b"', '"key":"n1"', '"key":"metricDef-d1"'].every((key) => text.includes(key)),
    'the damaged records in the log',
  );
  assert.equal(log.split('"key":"b"').length, 2, 'each is named once');
  const found = (await served.api.get('/api/v1/doctor')).json.findings.find(
    ({ id }: { id: string }) => id === 'records',
  );
  assert.equal(found.severity, 'critical');
  for (const name of ['job b', 'node n1', 'definition metricDef-d1']) assert.ok(found.what.includes(name), found.what);
});

test('cairn verify names what is damaged, and only that, also while the server is running', async () => {
  const verify = () => cairn(['verify', '--data-dir', served.server.folders.data]);
  const running = await verify();
  assert.equal(running.code, 1);
  assert.match(running.out, /^table job: the record b is damaged: its checksum does not fit$/m);
  assert.match(running.out, /^table definition: the record metricDef-d1 is damaged/m);
  assert.doesNotMatch(running.out, /record (a|c|n1|n2|d2) is/);
  await stop();
  assert.match((await verify()).out, /2 of \d+ records in \d+ pages are damaged/);
});

test('cairn verify --repair mends the lists of jobs, and removes what is left of a damaged job', async () => {
  const { data } = served.server.folders;
  // The row of job a in the order of names; as LMDB has no checksum for keys, only the job tells that it is wrong.
  await flipIn('\x08name of a');
  await start();
  const running = await cairn(['verify', '--data-dir', data]);
  assert.match(running.out, /^table jobIndex: the row of job a is missing: \\x08name of a\\x00/m);
  assert.match(running.out, /^table jobIndex: a row belongs to no job: \\x08name of `\\x00/m);
  assert.match(running.out, /2 rows of the lists of jobs do not fit the jobs\n.*cairn verify --repair/);
  const refused = await cairn(['verify', '--repair', '--data-dir', data]);
  assert.equal(refused.code, 2);
  assert.match(refused.err, /the server is running; stop it first/);
  await stop();

  const repaired = await cairn(['verify', '--repair', '--data-dir', data]);
  assert.equal(repaired.code, 1, 'a definition is damaged, too');
  assert.match(repaired.out, /^removed the damaged job b$/m);
  assert.match(repaired.out, /^mended 2 rows of the lists of jobs$/m);
  assert.match(repaired.out, /1 of \d+ records in \d+ pages are damaged/);
  await start();
  assert.deepEqual(await jobIds(), ['a', 'c']);
  assert.equal((await served.api.get('/api/v1/job/b')).status, 404);
  assert.equal((await served.api.get('/api/v1/job/count?by=queue')).json.total, 2);
  assert.equal((await served.api.post('/api/v1/job', { id: 'b', queueName: 'q', name: 'new' })).json.accepted, 1);
  assert.deepEqual(await jobIds(), ['a', 'b', 'c']);
  await stop();
});

test('a database that was cut, or emptied, is not served, and the server says what to do', async () => {
  const whole = await readFile(databaseFile());
  for (const size of [Math.floor(whole.byteLength / 2 / 4096) * 4096, 100, 0]) {
    await truncate(databaseFile(), size);
    const { data, log } = served.server.folders;
    const ended = await cairn(['serve', '--data-dir', data, '--log-dir', log, '--addr', 'http://127.0.0.1:0']);
    assert.equal(ended.code, 1, ended.err);
    assert.match(ended.err, /cannot open the database in .*damaged.*cairn restore/);
    await writeFile(databaseFile(), whole);
  }
  await start();
  assert.deepEqual(await jobIds(), ['a', 'b', 'c']);
});
