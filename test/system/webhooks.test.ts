/** Webhooks against a real receiver that checks every signature (contract section 14). */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import type { Webhook } from '../../src/protocol/webhook.ts';
import { Api, until } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';

interface Received {
  readonly path: string;
  readonly id: string;
  readonly body: {
    readonly id: string;
    readonly type: string;
    readonly time: string;
    readonly data: { readonly job?: string; readonly event?: { readonly eventType: string } };
  };
}

let server: ServerProcess;
let api: Api;
let base: string;
const received: Received[] = [];
const secrets = new Map<string, string>();
/** What a path answers; 204 where nothing is said. */
const answers = new Map<string, (response: http.ServerResponse) => void>();
const receiver = http.createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const path = request.url as string;
    const text = Buffer.concat(chunks).toString();
    const headers = request.headers as Record<string, string>;
    new StandardWebhook(secrets.get(path) as string).verify(text, headers);
    const answer = answers.get(path);
    if (!answer) received.push({ path, id: headers['webhook-id'] as string, body: JSON.parse(text) });
    if (answer) answer(response);
    else response.writeHead(204).end();
  });
});

before(async () => {
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  server = await ServerProcess.start({ args: ['--shards', '2'] });
  api = new Api(server.address);
  const allowed = await api.put('/api/v1/configKV', { kvMap: { 'security.webhooks.privateTargets': 'true' } });
  assert.equal(allowed.status, 200);
});
after(async () => {
  receiver.close();
  receiver.closeAllConnections();
  await server.dispose();
});

async function subscribe(path: string, more: object = {}): Promise<void> {
  const made = await api.put(`/api/v1/webhook${path}`, {
    url: base + path,
    types: ['job.event'],
    format: 'cairn',
    ...more,
  });
  assert.equal(made.status, 200);
  if (made.json.secret !== undefined) secrets.set(path, made.json.secret);
}

function report(id: string, queueName: string, ...types: string[]): Promise<{ readonly status: number }> {
  const startMs = Date.now() - 60_000;
  const events = types.map((eventType, i) => ({
    eventType,
    timestamp: new Date(startMs + i).toISOString(),
    detail: 'a <b> & c',
  }));
  return api.post('/api/v1/job', { id, queueName, events });
}

const waitUntil = (isSo: () => Promise<boolean>): Promise<boolean> => until(isSo, Boolean, 'deliveries', 20_000);

const jobsOf = (path: string): (string | undefined)[] =>
  received.filter((one) => one.path === path).map(({ body }) => `${body.data.job} ${body.data.event?.eventType}`);

test('events are delivered once each, signed, in order of the job, filtered by queue', async () => {
  await subscribe('/all', { queue: 'q1' });
  await report('j1', 'q1', 'Job-Creating', 'Job-Created', 'Job-Running');
  await report('j2', 'q2', 'Job-Creating');
  await report('j1', 'q1', 'Job-Succeeded');
  await waitUntil(async () => jobsOf('/all').length >= 4);
  assert.deepEqual(jobsOf('/all'), ['j1 Job-Creating', 'j1 Job-Created', 'j1 Job-Running', 'j1 Job-Succeeded']);
  const first = received.find(({ path }) => path === '/all') as Received;
  assert.equal(first.body.id, first.id);
  assert.equal(first.body.type, 'job.event');
  assert.ok(Math.abs(Date.parse(first.body.time) - Date.now()) < 60_000);
  const again = await api.put('/api/v1/webhook/all', {
    url: `${base}/all`,
    types: ['job.event'],
    format: 'cairn',
    queue: 'q1',
  });
  assert.equal(again.json.secret, undefined, 'a later PUT keeps the secret and does not show it');
  await report('j1', 'q1', 'Job-Failed');
  await waitUntil(async () => jobsOf('/all').length >= 5);
  // The receiver has it before the server has noted that it was delivered.
  await waitUntil(async () => (await api.get('/api/v1/webhook/all')).json.waiting === 0);
  const shown = (await api.get('/api/v1/webhook/all')).json;
  assert.deepEqual([shown.state, shown.waiting, shown.setAside, shown.deliveries.length], ['ok', 0, 0, 5]);
  assert.deepEqual([shown.deliveries[0].status, shown.deliveries[0].error, shown.secret], [204, null, undefined]);
  const listed = (await api.get('/api/v1/webhook')).json.find((one: { id: string }) => one.id === 'all');
  assert.deepEqual(listed.lastDelivery, shown.deliveries[0]);
});

test('a failure shows its reason and waits; replay delivers it under the same id, also after a kill', async () => {
  await subscribe('/down', { queue: 'q3' });
  let tries = 0;
  answers.set('/down', (response) => {
    tries++;
    response.writeHead(302, { location: `${base}/all` }).end();
  });
  await report('j3', 'q3', 'Job-Creating', 'Job-Created');
  await waitUntil(async () => tries === 1 && (await api.get('/api/v1/webhook/down')).json.state === 'failing');
  const failing = (await api.get('/api/v1/webhook/down')).json;
  assert.deepEqual([failing.waiting, failing.deliveries[0].status], [2, 302]);
  assert.match(failing.deliveries[0].error, /^it answered 302 \(redirects are not followed/);
  assert.ok(Date.parse(failing.nextAttempt) > Date.now());
  assert.equal(failing.lastDelivery.status, 302);
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders, args: ['--shards', '2'] });
  api = new Api(server.address);
  answers.delete('/down');
  assert.equal((await api.post('/api/v1/webhook/down/replay', {})).status, 200);
  await waitUntil(async () => jobsOf('/down').length >= 2);
  assert.deepEqual(jobsOf('/down'), ['j3 Job-Creating', 'j3 Job-Created']);
  assert.equal(received.find(({ path }) => path === '/down')?.id, failing.deliveries[0].id);
  await waitUntil(async () => (await api.get('/api/v1/webhook/down')).json.waiting === 0);
});

test('a webhook that gets another URL has not been tried there, and what waits goes there at once', async () => {
  await subscribe('/moves', { queue: 'q-moves' });
  answers.set('/moves', (response) => response.writeHead(500, { 'retry-after': '3600' }).end());
  await report('j-moves', 'q-moves', 'Job-Creating');
  await waitUntil(async () => (await api.get('/api/v1/webhook/moves')).json.state === 'failing');
  const target = { types: ['job.event'], format: 'cairn', queue: 'q-moves' };
  secrets.set('/moved', secrets.get('/moves') as string);
  const same = await api.put('/api/v1/webhook/moves', { ...target, url: `${base}/moves` });
  assert.deepEqual([same.json.state, same.json.lastDelivery.status], ['failing', 500]);
  const moved = await api.put('/api/v1/webhook/moves', { ...target, url: `${base}/moved` });
  assert.deepEqual([moved.json.state, moved.json.lastDelivery], ['ok', null]);
  await waitUntil(async () => jobsOf('/moved').length === 1);
  await waitUntil(async () => (await api.get('/api/v1/webhook/moves')).json.lastDelivery?.status === 204);
});

test('a delivery that fails at the URL before does not hold up what goes to another one', async () => {
  await subscribe('/held', { queue: 'q-held' });
  let fail: (() => void) | undefined;
  answers.set('/held', (response) => {
    fail = () => response.writeHead(500, { 'retry-after': '3600' }).end();
  });
  await report('j-held', 'q-held', 'Job-Creating');
  await waitUntil(async () => fail !== undefined);
  secrets.set('/held-no-more', secrets.get('/held') as string);
  const target = { types: ['job.event'], format: 'cairn', queue: 'q-held' };
  assert.equal((await api.put('/api/v1/webhook/held', { ...target, url: `${base}/held-no-more` })).status, 200);
  fail?.();
  await waitUntil(async () => jobsOf('/held-no-more').length === 1);
  assert.equal((await api.get('/api/v1/webhook/held')).json.state, 'ok');
});

test('a paused webhook delivers nothing, keeps it over a restart, and delivers what waited once it is resumed', async () => {
  await subscribe('/paused', { queue: 'q6', paused: true });
  await report('j6', 'q6', 'Job-Creating', 'Job-Created');
  await waitUntil(async () => (await api.get('/api/v1/webhook/paused')).json.waiting === 2);
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders, args: ['--shards', '2'] });
  api = new Api(server.address);
  // Without `paused` it stays as it is; another webhook shows that what could be sent has been.
  await subscribe('/paused', { queue: 'q6' });
  await subscribe('/beside', { queue: 'q6' });
  await report('j6', 'q6', 'Job-Running');
  await waitUntil(async () => jobsOf('/beside').length === 1);
  const paused = (await api.get('/api/v1/webhook/paused')).json;
  assert.deepEqual([paused.state, paused.paused, paused.waiting, paused.deliveries], ['paused', true, 3, []]);
  const refused = await api.post('/api/v1/webhook/paused/replay', {});
  assert.deepEqual([refused.status, refused.json.fields], [422, { paused: 'is true: resume the webhook first' }]);
  await subscribe('/paused', { queue: 'q6', paused: false });
  await waitUntil(async () => jobsOf('/paused').length >= 3);
  assert.deepEqual(jobsOf('/paused'), ['j6 Job-Creating', 'j6 Job-Created', 'j6 Job-Running']);
  const resumed = (await api.get('/api/v1/webhook/paused')).json;
  const [last] = resumed.deliveries;
  assert.deepEqual([resumed.state, last.job, last.eventType, last.node], ['ok', 'j6', 'Job-Running', null]);
});

test('of job events only the kinds that were asked for are sent, and all events of other types', async () => {
  await subscribe('/kinds', { types: ['job.event', 'node.registered'], eventTypes: ['Job-Failed'] });
  await report('j7', 'q7', 'Job-Creating', 'Job-Failed');
  await api.put('/api/v1/node/n7', { instance: { instanceId: 'i-n7' } });
  const kinds = (): string[] => received.filter(({ path }) => path === '/kinds').map(({ body }) => body.type);
  await waitUntil(async () => kinds().length >= 2);
  assert.deepEqual(kinds().toSorted(), ['job.event', 'node.registered']);
  assert.deepEqual(jobsOf('/kinds')[kinds().indexOf('job.event')], 'j7 Job-Failed');
  assert.deepEqual((await api.get('/api/v1/webhook/kinds')).json.eventTypes, ['Job-Failed']);
  const refused = await api.put('/api/v1/webhook/kinds', {
    url: base,
    types: ['job.event'],
    format: 'cairn',
    eventTypes: [],
  });
  assert.equal(refused.status, 422);
});

test('a hostile receiver costs a bounded answer and time, and is a failure', async () => {
  await subscribe('/endless', { queue: 'q4' });
  let closed = false;
  answers.set('/endless', (response) => {
    response.writeHead(200);
    const more = (): void => {
      while (!response.destroyed && response.write(Buffer.alloc(16 * 1024)));
      response.once('drain', more);
    };
    response.once('close', () => {
      closed = true;
    });
    more();
  });
  const tested = await api.post('/api/v1/webhook/endless/test', {});
  assert.deepEqual([tested.json.delivered, tested.json.error], [false, 'its answer is longer than 64 KiB']);
  await waitUntil(async () => closed);
});

test('Slack gets a text with its control characters escaped', async () => {
  let text = '';
  const slack = http.createServer((request, response) => {
    request.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    request.on('end', () => response.writeHead(200).end('ok'));
  });
  await new Promise<void>((resolve) => slack.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(slack.address() as AddressInfo).port}/hook`;
  await api.put('/api/v1/webhook/slack', { url, types: ['job.event'], format: 'slack', job: 'j5' });
  await report('j5', 'q5', 'Job-Failed');
  await waitUntil(async () => text !== '');
  slack.close();
  slack.closeAllConnections();
  assert.deepEqual(JSON.parse(text), { text: '*job.event* Job-Failed · job j5 · queue q5 · a &lt;b&gt; &amp; c' });
});

test('what is not a webhook is refused with the reason, and changes nothing', async () => {
  // Without how its deliveries go: those of the tests before may still be on their way.
  const subscribed = async (): Promise<object[]> =>
    (await api.get('/api/v1/webhook')).json.map(({ id, url, types, format, queue, job, node }: Webhook) => {
      return { id, url, types, format, queue, job, node };
    });
  const before = await subscribed();
  const good = { url: 'https://example.com/', types: ['job.event'], format: 'cairn' };
  const bad = [
    { ...good, url: 'ftp://example.com/' },
    { ...good, url: 'https://user:password@example.com/' },
    { ...good, types: [] },
    { ...good, types: ['job.nothing'] },
    { ...good, types: ['job.event', 'job.event'] },
    { ...good, format: 'teams' },
    { ...good, secret: 'short' },
    { ...good, secret: `whsec_${Buffer.alloc(23).toString('base64')}` },
  ];
  for (const body of bad) assert.equal((await api.put('/api/v1/webhook/bad', body)).status, 422, JSON.stringify(body));
  assert.deepEqual(await subscribed(), before);
  assert.equal((await api.get('/api/v1/webhook/bad')).status, 404);
  assert.equal((await api.delete('/api/v1/webhook/slack')).status, 200);
  assert.equal((await api.delete('/api/v1/webhook/slack')).status, 404);
});

test('without the permission no target in the own network is called', async () => {
  await api.put('/api/v1/configKV', { kvMap: { 'security.webhooks.privateTargets': 'false' } });
  const refused = await api.put('/api/v1/webhook/private', { url: base, types: ['job.event'], format: 'cairn' });
  assert.equal(refused.status, 422);
  assert.match(refused.json.fields.url, /privateTargets/);
  const count = received.length;
  const tested = await api.post('/api/v1/webhook/all/test', {});
  assert.equal(tested.json.delivered, false);
  assert.match(tested.json.error, /not reachable from everywhere/);
  assert.equal(received.length, count);
  // A test is an attempt like any other.
  assert.equal((await api.get('/api/v1/webhook/all')).json.state, 'failing');
});
