/** Every command that talks to a server, against a real one (contract section 11). */
import assert from 'node:assert/strict';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Api, until } from '../../support/api.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { withServer } from '../../support/with-server.ts';
import { type CairnOptions, cairn, type Finished } from './cairn.ts';

let server: ServerProcess;
let api: Api;

// In the retention of one-minute buckets, and at the start of one.
const T0 = Math.floor(Date.now() / 60_000) * 60_000 - 3_600_000;
const at = (second: number): string => new Date(T0 + second * 1_000).toISOString();

const job = (id: string, queueName: string, last: string): object => ({
  id,
  queueName,
  events: [
    { timestamp: at(0), eventType: 'Job-Creating', nodeOid: 'i-1', containerId: 'c1' },
    { timestamp: at(1), eventType: 'Job-Running' },
    { timestamp: at(60), eventType: last },
  ],
});

withServer({}, async (served) => {
  ({ server, api } = served);
  const node = {
    hostName: 'host-1',
    cores: 4,
    memoryInMB: 8192,
    instance: { instanceId: 'i-1', instanceType: 'm5.large' },
  };
  await api.put('/api/v1/node/n1', node);
  await api.put('/api/v1/node/n2', { hostName: 'host-2', cores: 2, instance: { instanceId: 'i-2', payType: 'Spot' } });
  await api.post('/api/v1/job', [
    job('a', 'red', 'Job-Succeeded'),
    job('b', 'blue', 'Job-Failed'),
    job('c', 'red', 'Job-Checkpointing'),
  ]);
  await api.post('/api/v1/nodes/n1/files/var/log/app.log?offset=0', 'one\ntwo\nthree\n');
});

const run = (args: readonly string[], options: CairnOptions = {}): Promise<Finished> =>
  cairn(args, { ...options, env: { CAIRN_SERVER: api.base, ...options.env } });

async function good(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args);
  assert.equal(code, 0, `cairn ${args.join(' ')}: ${stderr}`);
  return stdout;
}

/** Where the machine is busy, this file takes longer than a node may be silent. */
async function beat(): Promise<void> {
  for (const id of ['n1', 'n2']) assert.equal((await api.post(`/api/v1/node/${id}/heartbeat`, {})).status, 200);
}

const linesOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

test('--json prints exactly what the API answers', async () => {
  for (const [args, path] of [
    [['node', 'list'], '/api/v1/node'],
    [['node', 'list', '--state', 'all', '--fields', 'id,state'], '/api/v1/node?state=all&fields=id,state'],
    [['node', 'show', 'n1'], '/api/v1/node/n1'],
    [['node', 'logs', 'n1'], '/api/v1/nodes/n1/files'],
    [['job', 'list'], '/api/v1/job'],
    [
      ['job', 'list', '--queue', 'red', '--sort=-updatedAt', '--limit', '1'],
      '/api/v1/job?queue=red&sort=-updatedAt&limit=1',
    ],
    [['job', 'list', '--phase', 'failed', '--phase', 'succeeded'], '/api/v1/job?phase=failed&phase=succeeded'],
    [['job', 'show', 'b'], '/api/v1/job/b'],
    [['queue', 'list'], '/api/v1/queue'],
    [['metrics', 'summary'], '/api/v1/metrics/summary'],
    [['metrics', 'list', '--object', 'queue-red'], '/api/v1/metric?object=queue-red'],
    [['metrics', 'series', 'queue-red', 'jobSubmitted', '--start', at(-60), '--end', at(600)], seriesPath()],
    [['config', 'get'], '/api/v1/config'],
    [['config', 'history'], '/api/v1/config/history'],
    [['openapi'], '/api/v1/openapi.json'],
  ] as const) {
    const { bytes } = await api.get(path);
    const { code, bytes: printed, stderr } = await run([...args, '--json']);
    assert.deepEqual([code, printed.toString()], [0, bytes.toString()], `${args.join(' ')}: ${stderr}`);
  }
});

function seriesPath(): string {
  return `/api/v1/metricValue/queue-red/jobSubmitted?start=${at(-60)}&end=${at(600)}`;
}

test('lines of JSON and CSV are what the API makes of a list, or the same for what it gives as JSON only', async () => {
  assert.equal(await good('job', 'list', '--output', 'csv'), (await api.get('/api/v1/job?format=csv')).text);
  assert.equal(await good('node', 'list', '--output', 'ndjson'), (await api.get('/api/v1/node?format=ndjson')).text);
  assert.equal(
    await good('metrics', 'summary', '--output', 'csv'),
    (await api.get('/api/v1/metrics/summary?format=csv')).text,
  );
  const queues = linesOf(await good('queue', 'list', '--output', 'ndjson')).map((line) => JSON.parse(line));
  assert.deepEqual(queues, (await api.get('/api/v1/queue')).json);
  assert.match(await good('queue', 'list', '--output', 'csv'), /^name,total,phases\.starting,.*\r\nblue,1,/);
  const series = linesOf(await good('metrics', 'list', '--output', 'ndjson')).map((line) => JSON.parse(line).id);
  assert.deepEqual(
    series,
    (await api.get('/api/v1/metric')).json.map(({ id }: { id: string }) => id),
  );
  assert.deepEqual(JSON.parse(await good('node', 'show', 'n1', '--output', 'ndjson')).id, 'n1');
  assert.match(await good('node', 'show', 'n1', '--output', 'csv'), /^id,.*\r\nn1,/);
});

test('tables have a head, a line for each row, and no color where they go to no terminal', async () => {
  await beat();
  const nodes = linesOf(await good('node', 'list'));
  assert.match(nodes[0] as string, /^ID +STATE +HOST/);
  assert.match(nodes[1] as string, /^n1 +alive +host-1 +m5\.large/);
  assert.equal(nodes.length, 3);
  assert.deepEqual(linesOf(await good('job', 'list', '--queue', 'red', '--fields', 'id,status')), [
    'ID  STATUS',
    'a   Succeeded',
    'c   Checkpointing',
  ]);
  const shown = await good('job', 'show', 'b');
  assert.match(shown, /^status +Failed$/m);
  assert.match(shown, new RegExp(`^${at(1)} +Job-Running`, 'm'));
  assert.match(await good('queue', 'list'), /^red +2/m);
  assert.match(await good('metrics', 'summary'), /^jobSubmitted +red +2 /m);
  assert.match(
    await good('metrics', 'series', 'queue-red', 'jobSubmitted', '--start', at(-60), '--end', at(600)),
    /^\S+Z +2$/m,
  );
  assert.match(await good('metrics', 'list', '--q', 'submitted'), /^metricDef-jobSubmitted\.queue-blue +queue-blue/m);
  assert.match(await good('node', 'show', 'n1'), /^instance\.instanceId +i-1$/m);
  const { stdout } = await run(['job', 'list'], { env: { FORCE_COLOR: '1' } });
  assert.ok(!stdout.includes('\u001b'));
});

test('node logs lists the logs of a node and reads one, by the path on the node or by the listed one', async () => {
  assert.deepEqual(linesOf(await good('node', 'logs', 'n1')), ['FILE', '/var/log/app.log']);
  assert.equal(await good('node', 'logs', 'n1', '/var/log/app.log'), 'one\ntwo\nthree\n');
  assert.equal(await good('node', 'logs', 'n1', 'var/log/app.log', '--tail', '2', '--q', 't'), 'two\nthree\n');
  assert.equal(await good('node', 'logs', 'n1', '/nodes/n1/var/log/app.log', '--tail', '1'), 'three\n');
});

test('a node is drained and takes jobs again', async () => {
  assert.match(await good('node', 'drain', 'n2'), /n2 is drained/);
  assert.equal((await api.get('/api/v1/node/n2')).json.drained, true);
  await beat();
  assert.match(await good('node', 'list'), /^n2 +alive \(drained\)/m);
  assert.deepEqual(JSON.parse(await good('node', 'drain', 'n2', '--undo', '--json')), { id: 'n2', drained: false });
  assert.notEqual((await api.get('/api/v1/node/n2')).json.drained, true);
});

test('job logs prints what a job wrote', async () => {
  const log = 'var/lib/cairn-agent/jobs/a';
  await api.post(`/api/v1/nodes/n1/files/${log}/stdout.log?offset=0`, 'out\n');
  await api.post(`/api/v1/nodes/n1/files/${log}/stderr.log?offset=0`, 'err\n');
  assert.equal(await good('job', 'logs', 'a'), 'out\n');
  assert.equal(await good('job', 'logs', 'a', '--stderr', '--copy', 'last'), 'err\n');
  assert.equal(await good('job', 'logs', 'a', '-f'), 'out\n', 'it ends, because the job has');
  assert.equal((await run(['job', 'logs', 'nobody'])).code, 3);
});

test('job bundle writes a whole file, or to standard output', async (t) => {
  const folder = temporaryFolder(t);
  const { code, stdout } = await run(['job', 'bundle', 'a'], { cwd: folder });
  assert.equal(code, 0);
  assert.match(stdout, /^wrote a\.tar\.gz/);
  assert.deepEqual(await readdir(folder), ['a.tar.gz']);
  const gzip = Buffer.from([0x1f, 0x8b]);
  assert.deepEqual((await readFile(join(folder, 'a.tar.gz'))).subarray(0, 2), gzip);
  assert.deepEqual((await run(['job', 'bundle', 'a', '--to', '-'])).bytes.subarray(0, 2), gzip);
  const lost = await run(['job', 'bundle', 'a', '--to', join(folder, 'no', 'x.tar.gz')]);
  assert.equal(lost.code, 1);
  assert.match(lost.stderr, /cannot write .*ENOENT/);
  assert.equal((await run(['job', 'bundle', 'nobody'], { cwd: folder })).code, 3);
  assert.deepEqual(await readdir(folder), ['a.tar.gz'], 'nothing half is left behind');
});

test('support-bundle holds what helps, and no secret', async (t) => {
  const folder = temporaryFolder(t);
  const target = join(folder, 'x.tar.gz');
  const { code, stdout, stderr } = await run(['support-bundle', '--to', target]);
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^wrote .*x\.tar\.gz/);
  assert.equal((await stat(target)).mode & 0o777, 0o600);
  const tar = gunzipSync(await readFile(target)).toString();
  for (const name of [
    'config.json',
    'config-history.json',
    'ready.json',
    'metrics.txt',
    'server.log',
    'server-access.log',
    'versions.json',
  ])
    assert.match(tar, new RegExp(`cairn-support-[\\d-T]+/${name}`), name);
  assert.match(tar, /cairn_/);
  assert.match(tar, /"node\.ttl"|"ttl"/);
});

/** A test that a receiver takes, and one that it does not: the command ends with 1, in every form of its output. */
async function tested(id: string): Promise<void> {
  let status = 204;
  const receiver = http.createServer((_, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    await api.configKv({ 'security.webhooks.privateTargets': 'true' });
    await good('webhook', 'set', id, '--url', url, '--types', 'node.lost');
    assert.match(await good('webhook', 'test', id), new RegExp(`^${id} took the test event: 204 in \\d+ ms\n$`));
    status = 500;
    const refused = await run(['webhook', 'test', id]);
    assert.deepEqual([refused.code, refused.stdout], [1, '']);
    assert.match(refused.stderr, new RegExp(`^cairn webhook test: ${id} did not take the test event: .*500`));
    const told = await run(['webhook', 'test', id, '--json']);
    assert.equal(told.code, 1);
    assert.equal(JSON.parse(told.stdout).delivered, false);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
}

test('webhooks are set, listed, tested and removed', async () => {
  const set = await good(
    'webhook',
    'set',
    'ops',
    '--url',
    'https://hooks.example.com/x',
    '--types',
    'node.lost,node.late',
  );
  assert.match(set, /^secret +whsec_/m);
  assert.match(await good('webhook', 'list'), /^ops +https:\/\/hooks\.example\.com\/x +node\.lost,node\.late/m);
  await tested('ops');
  assert.equal(await good('webhook', 'remove', 'ops'), 'removed ops\n');
  assert.equal((await run(['webhook', 'remove', 'ops'])).code, 3);
  assert.deepEqual((await run(['webhook', 'set', 'ops', '--url', 'https://x'])).code, 2, '--types is missing');
});

test('the state of a job and of a node is explained', async () => {
  assert.match(await good('job', 'explain', 'b'), /^critical: Failed/m);
  await beat();
  assert.match(await good('node', 'explain', 'n1'), /^ok: /m);
  assert.equal((await run(['job', 'explain', 'nobody'])).code, 3);
});

test('without a provider everybody is an administrator, and there are no service tokens', async () => {
  assert.match(await good('whoami'), /^roles +admin$/m);
  assert.deepEqual(linesOf(await good('token', 'list')).length, 1);
  const { code, stderr } = await run(['token', 'service', '--name', 'x', '--role', 'viewer', '--ttl', '1h']);
  assert.deepEqual([code, /identity provider/.test(stderr)], [1, true]);
});

test('settings are read, set all or none, and their history is shown', async () => {
  assert.equal(await good('config', 'get', 'node.ttl'), '5m0s\n');
  assert.equal(await good('config', 'get', 'node.ttl', '--json'), '"5m0s"\n');
  assert.match(await good('config', 'get', 'node'), /^node\.heartbeat +30s$/m);
  assert.equal((await run(['config', 'get', 'node.nothing'])).code, 3);
  assert.match(await good('config', 'set', 'node.ttl=10m', 'job.customTags=owner:me'), /^node\.ttl +10m0s$/m);
  const refused = await run(['config', 'set', 'node.ttl=20m', 'node.heartbeat=soon']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /Invalid argument.*node\.heartbeat/);
  assert.equal(await good('config', 'get', 'node.ttl'), '10m0s\n', 'nothing was changed');
  assert.equal((await run(['config', 'set', 'node.ttl'])).code, 2);
  assert.match(await good('config', 'history'), /node\.ttl +5m0s +10m0s/);
});

test('a token is printed alone, and can be revoked', async () => {
  const { stdout, stderr } = await run(['token', 'node', 'n1', '--ttl', '1h']);
  assert.match(stdout, /^[\w-]+\.[\w-]+\.[\w-]+\n$/);
  assert.match(stderr, /expires at \d{4}-/);
  const join = JSON.parse(await good('token', 'join', '--ttl', '1h', '--json'));
  assert.deepEqual(Object.keys(join), ['token', 'expiresAt']);
  assert.match(await good('token', 'revoke', 'n1'), /revoked every token of the node n1/);
  assert.match(await good('token', 'revoke', '--join'), /revoked every join token/);
  assert.equal((await run(['token', 'revoke'])).code, 2);
  const bad = await run(['token', 'node', 'n1']);
  assert.deepEqual([bad.code, /--ttl/.test(bad.stderr)], [2, true]);
});

test('events are printed as lines and end, or go on', async () => {
  const lines = linesOf(await good('events')).map((line) => JSON.parse(line));
  assert.deepEqual(Object.keys(lines[0]), ['id', 'event', 'data']);
  assert.equal(lines[0].event, 'node.registered');
  assert.ok(lines.some(({ event, data }) => event === 'job.event' && data.job === 'c'));
  const ofBlue = linesOf(await good('events', '--queue', 'blue', '--after', '0')).map((line) => JSON.parse(line));
  assert.deepEqual([...new Set(ofBlue.map(({ data }) => data.job))], ['b']);
  let seen = '';
  const following = await run(['events', '-f', '--types', 'node.registered', '--after', lines.at(-1).id], {
    onStart: (child) => {
      const timer = setInterval(() => void api.put('/api/v1/node/late', {}), 300);
      child.stdout?.on('data', (chunk: Buffer) => {
        seen += chunk;
        clearInterval(timer);
        child.kill('SIGINT');
      });
    },
  });
  assert.equal(following.code, 130);
  assert.equal(JSON.parse(linesOf(seen)[0] as string).data.node, 'late');
});

test('server and access log are read by their configured name', async () => {
  assert.match(await good('logs', 'server', '--tail', '5'), /"level"/);
  assert.match(await good('logs', 'access', '--q', '/api/v1/queue'), /\/api\/v1\/queue/);
});

test('completion offers ids of the server, and nothing where there is none', async () => {
  const offered = async (words: readonly string[], env = {}): Promise<string[]> =>
    linesOf((await run(['__complete', ...words], { env })).stdout);
  assert.deepEqual(await offered(['node', 'show', 'n']), ['n1', 'n2']);
  assert.deepEqual(await offered(['job', 'list', '--queue', 'r']), ['red']);
  assert.deepEqual(await offered(['config', 'get', 'node.t']), ['node.ttl']);
  assert.deepEqual(await offered(['metrics', 'series', 'queue-r']), ['queue-red']);
  const nowhere = await run(['__complete', 'job', 'show', ''], { env: { CAIRN_SERVER: 'http://127.0.0.1:1' } });
  assert.deepEqual([nowhere.code, nowhere.stdout, nowhere.stderr], [0, '', '']);
  for (const shell of ['bash', 'zsh', 'fish']) assert.match(await good('completion', shell), /cairn __complete/);
});

test('every exit code says what happened', async (t) => {
  const codeOf = async (
    args: readonly string[],
    env: Readonly<Record<string, string>> = {},
  ): Promise<readonly [number | null, string]> => {
    const { code, stderr } = await run(args, { env });
    return [code, stderr];
  };
  const folder = temporaryFolder(t);
  await writeFile(join(folder, 'token'), 'nonsense\n');
  for (const [args, env, code, sentence] of [
    [['job', 'show', 'nobody'], {}, 3, /^cairn job show: Not found/],
    [['node', 'logs', 'n1', '/no.log'], {}, 3, /Not found/],
    [['job', 'list', '--sort', 'shoe-size'], {}, 1, /Invalid argument; sort /],
    [['job', 'list', '--limit', 'many'], {}, 2, /--limit many: want a whole number/],
    [['job', 'list', '--ca', '/no/such/file'], {}, 2, /--ca \/no\/such\/file: ENOENT/],
    [['job', 'list', '--token-file', '/no/such/file'], {}, 2, /--token-file/],
    [['job', 'list'], { CAIRN_TOKEN_FILE: '/no/such/file' }, 2, /CAIRN_TOKEN_FILE/],
    [['job', 'list', '--server', 'nowhere'], {}, 2, /--server nowhere/],
    [['job', 'list', '--output', 'xml'], {}, 2, /--output xml: want one of table, json, ndjson, csv/],
    [['job', 'list', '--output', 'csv', '--json'], {}, 2, /--json and --output/],
    [['job', 'list'], { CAIRN_SERVER: 'http://127.0.0.1:1' }, 5, /cannot reach http:\/\/127\.0\.0\.1:1: ECONNREFUSED/],
    [['job', 'list', '--server', 'http://no-such-host.invalid'], {}, 5, /cannot reach/],
  ] as const) {
    const [given, stderr] = await codeOf(args, env);
    assert.equal(given, code, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr, sentence);
    assert.equal(linesOf(stderr).length, 1, 'one sentence');
  }
});

test('what may not be done ends with 4, and an answer that breaks off with 1', async () => {
  const odd = http.createServer((request, response) => {
    if (request.url?.startsWith('/api/v1/job/cut')) {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{');
      setImmediate(() => response.destroy());
    } else response.writeHead(request.url === '/api/v1/queue' ? 403 : 401).end('{"message":"not you"}');
  });
  await new Promise<void>((resolve) => odd.listen(0, '127.0.0.1', resolve));
  odd.unref();
  const base = `http://127.0.0.1:${(odd.address() as AddressInfo).port}`;
  const unknown = await run(['job', 'list', '--server', base]);
  assert.deepEqual([unknown.code, /not you.*cairn login/.test(unknown.stderr)], [4, true]);
  assert.equal((await run(['queue', 'list', '--server', base])).code, 4);
  const cut = await run(['job', 'show', 'cut', '--server', base]);
  assert.deepEqual([cut.code, /ended before the answer did/.test(cut.stderr)], [1, true]);
  odd.close();
});

test('a reader that goes away ends the command quietly', async () => {
  const { code, stderr } = await run(['openapi'], {
    onStart: (child) => child.stdout?.once('data', () => child.stdout?.destroy()),
  });
  assert.deepEqual([code, stderr], [0, '']);
});

/** Each of these jobs makes half a MiB of log at level debug. */
const NOISE_MAX = 200;

test('the log is followed through three rotations, byte for byte', async () => {
  await api.put('/api/v1/log/config', { level: 'debug', maxSizeMB: 1, maxBackups: 10 });
  const before = (await api.get('/cairn.log')).bytes.byteLength;
  let got = 0;
  let stop: () => void = () => {};
  const rotations = async (): Promise<number> =>
    (await readdir(server.folders.log)).filter((name) => /^cairn\.log\.\d+$/.test(name)).length;
  const following = run(['logs', 'server', '-f'], {
    onStart: (child) => {
      stop = () => child.kill('SIGINT');
      child.stdout?.on('data', (chunk: Buffer) => {
        got += chunk.byteLength;
      });
    },
  });
  // It follows from what the log holds as it arrives: one that arrives after a rotation never had what went before.
  await until(
    async () => got,
    (bytes) => bytes >= before,
    'the log up to now',
  );
  const detail = 'x'.repeat(900);
  for (let i = 0; (await rotations()) < 3; i++) {
    assert.ok(i < NOISE_MAX, `${await rotations()} rotations after ${i} noisy jobs`);
    const events = Array.from({ length: 500 }, (_, k) => ({
      timestamp: at(i * 500 + k),
      eventType: 'Job-Checkpointing',
      detail,
    }));
    await api.post('/api/v1/job', { id: `noisy-${i}`, queueName: 'noise', events });
  }
  await api.put('/api/v1/log/config', { level: 'fatal' });
  const whole = async (): Promise<Buffer> => {
    const count = await rotations();
    const names = ['cairn.log', ...Array.from({ length: count }, (_, i) => `cairn.log.${i + 1}`)].reverse();
    return Buffer.concat(await Promise.all(names.map((name) => readFile(join(server.folders.log, name)))));
  };
  const wanted = await whole();
  assert.ok(wanted.byteLength > before);
  await until(
    async () => got,
    (bytes) => bytes >= wanted.byteLength,
    `${wanted.byteLength} bytes of the followed log`,
  );
  stop();
  const { code, bytes } = await following;
  assert.equal(code, 130);
  // A last line may have been written after we looked.
  assert.ok(
    (await whole()).subarray(0, bytes.byteLength).equals(bytes),
    `${bytes.byteLength} of ${wanted.byteLength} bytes`,
  );
});
