/**
 * A caller who is bound to a queue learns nothing of another one, by any route: no name of it stands in any answer, and
 * whatever happens in the other queue, every answer stays the same, byte for byte. Asked with both tokens, of both queues.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { ROUTES } from '../../../src/gateway/api/routes.ts';
import type { Route } from '../../../src/gateway/http/route.ts';
import type { Answer, Api } from '../../support/api.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';
import { withServer } from '../../support/with-server.ts';

/** Each name of a side begins with a word that stands nowhere else. */
const SIDES = ['arctic', 'bamboo'] as const;
type Side = (typeof SIDES)[number];
const other = (side: Side): Side => (side === 'arctic' ? 'bamboo' : 'arctic');
/** As long as the names of the sides, and nothing is called so. */
const NOBODY = 'cobalt';
const SHARED = 'node-of-both';

let issuer: TokenIssuer;
let api: Api;
let address: string;
let admin: Record<string, string>;
const tokens = new Map<Side, Record<string, string>>();
const operators = new Map<Side, Record<string, string>>();

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

withServer(
  async () => {
    issuer = await TokenIssuer.start();
    return { env: { CAIRN_IDP_ISSUER: issuer.url } };
  },
  async (served) => {
    ({ api } = served);
    address = served.server.address;
    admin = bearer(await issuer.token({ groups: ['admin'] }));
    assert.equal((await api.put('/api/v1/security/idp', IDP_SETTINGS)).status, 200);
    // No node becomes late while the tests run, on however slow a machine: answers are compared byte for byte.
    await send('PUT', '/api/v1/configKV', { kvMap: { 'node.heartbeat': '1h', 'node.ttl': '24h' } });
    await send('PUT', `/api/v1/node/${SHARED}`, { instance: { instanceId: `i-${SHARED}` } });
    for (const side of SIDES) {
      await grow(side, 0);
      const token = async (role: string): Promise<Record<string, string>> => {
        const body = { name: side, role, queues: [side], ttl: '1h' };
        return bearer((await send('POST', '/api/v1/security/serviceToken', body)).json.token);
      };
      tokens.set(side, await token('viewer'));
      operators.set(side, await token('operator'));
      const hook = { url: `https://${side}.example/`, types: ['job.event'], format: 'cairn', queue: side };
      await send('PUT', `/api/v1/webhook/${side}-hook`, hook);
    }
  },
);
after(() => issuer.stop());

async function send(method: 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<Answer> {
  const answer = await api.request(method, path, { headers: admin, ...(body === undefined ? {} : { body }) });
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
  return answer;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** The jobs of round 0. A summary tells of the last seven days, so none of them is of a date that is written down. */
const BEGAN_MS = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 2 * DAY_MS;

/** More of everything on a side: nodes, jobs that were restored from one to the other, logs, samples, series. */
async function grow(side: Side, round: number): Promise<void> {
  const node = `${side}-node-${round}`;
  await send('PUT', `/api/v1/node/${node}`, {
    hostName: `${side}-host`,
    instance: { instanceId: `i-${node}`, zone: side, payType: 'Spot' },
  });
  const time = (second: number): string => new Date(BEGAN_MS + round * HOUR_MS + second * 1_000).toISOString();
  const events = (id: string): object[] => [
    { timestamp: time(0), eventType: 'Job-Creating', nodeOid: `i-${node}`, containerId: `${id}-c` },
    { timestamp: time(1), eventType: 'Job-Running' },
    { timestamp: time(9), eventType: 'Job-Restoring', nodeOid: `i-${SHARED}` },
    { timestamp: time(10), eventType: 'Job-RestoreSucceeded' },
    { timestamp: time(20), eventType: 'Job-Succeeded' },
  ];
  const jobs = [0, 1, 2].map((i) => `${side}-job-${round}-${i}`);
  await send(
    'POST',
    '/api/v1/job',
    jobs.map((id) => ({ id, queueName: side, name: `${side}-name`, events: events(id) })),
  );
  for (const at of [node, SHARED])
    for (const path of [`agent/jobs/${jobs[0]}/stdout.log`, `var/log/${side}.log`])
      await api.request('POST', `/api/v1/nodes/${at}/files/${path}?offset=0`, {
        body: Buffer.from(`${side} wrote this\n`),
        headers: { ...admin, 'content-type': 'application/octet-stream' },
      });
  const now = new Date(Math.floor(Date.now() / 60_000) * 60_000).toISOString();
  await send('POST', '/api/v1/metricValue', [
    { objectId: `queue-${side}`, definitionId: `${side}Custom${round}`, time: now, value: 1 },
    { objectId: `node-${node}`, definitionId: 'cpuPercent', time: now, value: 1 },
    { objectId: `${side}-object`, definitionId: 'cpuPercent', time: now, value: 1 },
  ]);
}

/** What may be told of a side beyond its jobs: of its nodes, of who holds its jobs, of logs that nobody can place. */
async function disturb(side: Side): Promise<void> {
  const [node, job] = [`${side}-node-0`, `${side}-job-0-1`];
  await send('POST', `/api/v1/node/${node}/heartbeat`, { metrics: { [`${side}Percent`]: 5 } });
  await send('POST', `/api/v1/node/${node}/drain`);
  await send('PUT', `/api/v1/job/${job}/claim`, { nodeId: node, queueName: side });
  await send('PUT', `/api/v1/metric/${side}Custom0`, { name: side, description: side, unit: side, aggregation: 'max' });
  await send('POST', `/api/v1/webhook/${side}-hook/replay`);
  await api.request('POST', `/api/v1/nodes/${SHARED}/files/jobs/${side}-nowhere/stdout.log?offset=0`, {
    body: Buffer.from(`${side} wrote this\n`),
    headers: { ...admin, 'content-type': 'application/octet-stream' },
  });
  await send('POST', `/api/v1/node/${node}/interruption`, { action: 'stop', time: new Date().toISOString() });
}

const ids = (side: Side): string[] => [`${side}-job-0-0`, `${side}-job-0-2`];
const nodes = (side: Side): string[] => [`${side}-node-0`, SHARED];
const sorts = ['createdAt', '-updatedAt', 'id', '-status', 'queueName', 'name', '-nodeOid'];

/** What is asked of each route that a caller with a queue may call; of both sides, and of what is both's. */
function pathsOf(name: string): string[] {
  const both = (paths: (side: Side) => string[]): string[] => SIDES.flatMap(paths);
  const cases: Readonly<Record<string, () => string[]>> = {
    listJobs: () => [
      '/api/v1/job',
      ...sorts.flatMap((sort) => [`/api/v1/job?sort=${sort}`, `/api/v1/job?limit=2&sort=${sort}`]),
      ...sorts.map((sort) => `/api/v1/job?limit=1&status=Succeeded&sort=${sort}`),
      '/api/v1/job?q=job&limit=2',
      '/api/v1/job?format=csv',
      '/api/v1/job?format=ndjson&fields=id,phase',
      '/api/v1/job?phase=succeeded&limit=2',
      `/api/v1/job?node=${SHARED}&limit=2`,
      '/api/v1/job?createdAfter=2026-01-01T00:00:00Z&limit=2',
      ...both((side) => [`/api/v1/job?queue=${side}`, `/api/v1/job?q=${side}`, `/api/v1/job?node=${side}-node-0`]),
    ],
    countJobs: () => [
      ...['phase', 'status', 'queue'].map((by) => `/api/v1/job/count?by=${by}`),
      ...both((side) => [`/api/v1/job/count?by=queue&queue=${side}`, `/api/v1/job/count?q=${side}`]),
    ],
    getJob: () => both((side) => ids(side).map((id) => `/api/v1/job/${id}`)),
    getCheckpointOrder: () => both((side) => ids(side).map((id) => `/api/v1/job/${id}/checkpoint`)),
    explainJob: () => both((side) => ids(side).map((id) => `/api/v1/job/${id}/explain`)),
    getJobOutput: () => both((side) => ids(side).map((id) => `/api/v1/job/${id}/output/stdout`)),
    getJobBundle: () => both((side) => ids(side).map((id) => `/api/v1/job/${id}/logs.tar.gz`)),
    listQueues: () => ['/api/v1/queue'],
    listNodes: () => [
      '/api/v1/node',
      '/api/v1/node?state=all&limit=1',
      '/api/v1/node?sort=-id&limit=1',
      '/api/v1/node?q=node',
      '/api/v1/node?format=csv',
      ...both((side) => [`/api/v1/node?q=${side}`, `/api/v1/node?zone=${side}`]),
    ],
    getNode: () => both((side) => nodes(side).map((id) => `/api/v1/node/${id}`)),
    explainNode: () => both((side) => nodes(side).map((id) => `/api/v1/node/${id}/explain`)),
    listReclaims: () => [
      '/api/v1/reclaim?end=2100-01-01T00:00:00Z&start=2026-01-01T00:00:00Z',
      ...both((side) => [`/api/v1/reclaim?end=2100-01-01T00:00:00Z&start=2026-01-01T00:00:00Z&node=${side}-node-0`]),
    ],
    listNodeFiles: () => both((side) => nodes(side).map((id) => `/api/v1/nodes/${id}/files`)),
    getNodeFile: () =>
      both((side) =>
        nodes(side).flatMap((id) => [
          `/nodes/${id}/agent/jobs/${side}-job-0-0/stdout.log`,
          `/nodes/${id}/var/log/${side}.log`,
          `/nodes/${id}/agent/jobs/${side}-job-0-0/../../../var/log/${side}.log`,
        ]),
      ),
    getSummary: () => ['/api/v1/metrics/summary', '/api/v1/metrics/summary?format=csv'],
    listMetrics: () => [
      '/api/v1/metric',
      '/api/v1/metric?limit=3',
      '/api/v1/metric?object=system-total',
      ...both((side) => [`/api/v1/metric?object=queue-${side}`, `/api/v1/metric?q=${side}`]),
    ],
    getSeries: () => [
      '/api/v1/metricValue/system-total/jobSubmitted',
      ...both((side) => [
        `/api/v1/metricValue/queue-${side}/jobSubmitted?start=${new Date(BEGAN_MS - DAY_MS).toISOString()}`,
        `/api/v1/metricValue/queue-${side}/${side}Custom0`,
        `/api/v1/metricValue/node-${side}-node-0/cpuPercent`,
        `/api/v1/metricValue/${side}-object/cpuPercent`,
      ]),
    ],
    getConfig: () => ['/api/v1/config'],
    getLogConfig: () => ['/api/v1/log/config'],
    getOpenApi: () => ['/api/v1/openapi.json'],
    getMetricsText: () => ['/metrics'],
    getMe: () => ['/api/v1/security/me'],
    getEvents: () => [
      '/api/v1/event?follow=false&lastEventId=0',
      ...both((side) =>
        [`queue=${side}`, `job=${side}-job-0-0`, `node=${side}-node-0`].map(
          (filter) => `/api/v1/event?follow=false&lastEventId=0&${filter}`,
        ),
      ),
    ],
  };
  return cases[name]?.() ?? [];
}

const OPEN = ['scoped', 'scoped-or-worker', 'scoped-or-own-worker', 'self'];
const routes = (ROUTES as readonly Route[]).filter(({ method, access }) => method === 'GET' && OPEN.includes(access));
/** A refusal says what was asked for, and a description of the API has words of its own. */
const textOf = ({ status, bytes, headers, text }: Answer): string =>
  status >= 400
    ? String(status)
    : headers['content-type'] === 'application/gzip'
      ? gunzipSync(bytes).toString('latin1')
      : text;

/** All of the answer's headers but the time. */
function headsOf({ headers }: Answer): string[] {
  return Object.entries(headers).flatMap(([name, value]) => (name === 'date' ? [] : [`${name}: ${value}`]));
}

/** Every answer to a side's token by path, with all following pages. */
async function answersTo(side: Side): Promise<Map<string, string>> {
  const headers = tokens.get(side) as Record<string, string>;
  const found = new Map<string, string>();
  for (const { name } of routes)
    for (const path of pathsOf(name)) {
      let next: string | undefined = path;
      for (let page = 0; next !== undefined && page < 20; page++) {
        const answer: Answer = await api.get(next, headers);
        assert.ok(answer.status < 500, `${next}: ${answer.text}`);
        const etag = String(answer.headers['etag'] ?? '');
        const link = String(answer.headers['link'] ?? '');
        const cursor = new URLSearchParams(/<[^?]*\?([^>]*)>/.exec(link)?.[1]).get('cursor') ?? '';
        const inside = Buffer.from(cursor, 'base64url').toString('latin1');
        const heads = headsOf(answer).filter((head) => !/^(etag|link|content-length): /.test(head));
        found.set(`${path} ${page}`, [textOf(answer), etag, cursor, inside, ...heads].join('\n'));
        next = /<([^>]*)>/.exec(link)?.[1];
      }
    }
  return found;
}

/** Without what goes with the clock. */
function timeless(path: string, text: string): string {
  if (path.includes('/explain')) return '';
  if (path.startsWith('/api/v1/event')) return text.replace(/^: .*\nid: .*\n/gm, '');
  return path.includes('.tar.gz') ? text.replaceAll('\0', '') : text;
}

test('every route that a caller with a queue may call is asked', () => {
  assert.deepEqual(
    routes.filter(({ name }) => pathsOf(name).length === 0).map(({ name }) => name),
    [],
  );
});

test('no answer names anything of the other queue, and each side is shown its own', async () => {
  for (const side of SIDES) {
    const answers = await answersTo(side);
    const own = [...answers].filter(([, text]) => text.includes(side)).map(([path]) => path.split(/[?/ ]/)[3]);
    for (const what of ['job', 'queue', 'node', 'metric', 'metrics', 'event', 'metricValue', 'nodes'])
      assert.ok(own.includes(what), `${side} is shown nothing of its own by ${what}`);
    const shown = (path: string): string | undefined => answers.get(`${path} 0`)?.split('\n')[0];
    assert.match(shown(`/nodes/${SHARED}/agent/jobs/${side}-job-0-0/stdout.log`) ?? '', /wrote this/);
    assert.equal(shown('/api/v1/metricValue/system-total/jobSubmitted'), '404');
    assert.equal(shown(`/nodes/${SHARED}/var/log/${side}.log`), '404');
    assert.equal(JSON.parse(shown('/api/v1/job/count?by=status') as string).total, 3);
    assert.equal('security' in JSON.parse(shown('/api/v1/config') as string), false);
    for (const [path, text] of answers) assert.ok(!text.includes(other(side)), `${path}: ${text}`);
  }
});

/** With the name of nothing in place of another queue's. Tags are made of the question as well; another test compares them. */
const nameless = (answer: Answer, name: string): string =>
  [answer.status, ...headsOf(answer).filter((head) => !head.startsWith('etag: ')), answer.text]
    .join('\n')
    .replaceAll(name, NOBODY);

test('a thing of the other queue is answered as a thing that is not there', async () => {
  for (const side of SIDES) {
    const name = other(side);
    for (const route of routes)
      for (const path of pathsOf(route.name).filter((one) => one.includes(name))) {
        const there = await api.get(path, tokens.get(side));
        const nowhere = await api.get(path.replaceAll(name, NOBODY), tokens.get(side));
        const isStream = path.startsWith('/api/v1/event');
        const shown = (answer: Answer): string =>
          isStream ? timeless(path, nameless(answer, name)) : nameless(answer, name);
        assert.equal(shown(there), shown(nowhere), path);
      }
  }
});

/** What an operator asks of each route: of a thing of a side. Undefined: it is of no queue. */
function operationOn(name: string, side: string): readonly [method: string, path: string] | 'of no queue' | undefined {
  const hook = `/api/v1/webhook/${side}-hook`;
  const operations: Readonly<Record<string, readonly [string, string] | 'of no queue'>> = {
    drainNode: ['POST', `/api/v1/node/${side}-node-0/drain`],
    undrainNode: ['DELETE', `/api/v1/node/${side}-node-0/drain`],
    checkpointJob: ['POST', `/api/v1/job/${side}-job-0-0/checkpoint`],
    listWebhooks: ['GET', '/api/v1/webhook'],
    getWebhook: ['GET', hook],
    removeWebhook: ['DELETE', hook],
    testWebhook: ['POST', `${hook}/test`],
    replayWebhook: ['POST', `${hook}/replay`],
    // The ids of webhooks are the whole server's: that one is taken must be told.
    putWebhook: 'of no queue',
    putMetric: 'of no queue',
    makeNodeToken: 'of no queue',
  };
  return operations[name];
}

const operatorRoutes = (ROUTES as readonly Route[]).filter(({ access }) => access === 'operator');

test('every route of operators is asked', () => {
  assert.deepEqual(
    operatorRoutes.filter(({ name }) => operationOn(name, NOBODY) === undefined).map(({ name }) => name),
    [],
  );
});

test('an operator of a queue is told of a thing of the other queue what is told of a thing that is not there', async () => {
  for (const side of SIDES)
    for (const { name } of operatorRoutes) {
      const [there, nowhere] = [operationOn(name, other(side)), operationOn(name, NOBODY)];
      if (typeof there !== 'object' || typeof nowhere !== 'object') continue;
      const ask = ([method, path]: readonly [string, string]): Promise<Answer> =>
        api.request(method, path, { headers: operators.get(side) as Record<string, string> });
      const answer = await ask(there);
      assert.ok(!textOf(answer).includes(other(side)), `${there[1]}: ${answer.text}`);
      assert.equal(nameless(answer, other(side)), nameless(await ask(nowhere), other(side)), there[1]);
    }
});

test('whatever happens in the other queue, every answer stays the same', async () => {
  for (const side of SIDES) {
    const before = await answersTo(side);
    await grow(other(side), side === 'arctic' ? 1 : 2);
    await disturb(other(side));
    await send('DELETE', `/api/v1/node/${other(side)}-node-0`);
    await send('PUT', '/api/v1/configKV', { kvMap: { 'security.roles': `x:viewer@${other(side)}` } });
    await send('PUT', '/api/v1/configKV', { kvMap: { 'security.roles': '' } });
    const afterwards = await answersTo(side);
    assert.deepEqual([...afterwards.keys()], [...before.keys()]);
    for (const [path, text] of afterwards) {
      // The version of the configuration is that of all of it.
      if (path.startsWith('/api/v1/config ')) continue;
      assert.equal(timeless(path, text), timeless(path, before.get(path) as string), path);
    }
  }
});

test('positions of events say nothing, and the stream goes on from them', async () => {
  const [side] = SIDES;
  const read = async (headers: Record<string, string>): Promise<string> =>
    (await api.get('/api/v1/event?follow=false', { ...(tokens.get(side) as Record<string, string>), ...headers })).text;
  const all = (await api.get('/api/v1/event?follow=false&lastEventId=0', tokens.get(side))).text;
  const frames = all.split('\n\n').filter((frame) => frame.startsWith('event: job.event'));
  const idOf = (frame: string): string => /^id: (.*)$/m.exec(frame)?.[1] ?? '';
  assert.ok(frames.length > 5 && frames.every((frame) => /^[A-Za-z0-9_-]{22}$/.test(idOf(frame))));
  const resumed = await read({ 'last-event-id': idOf(frames[2] as string) });
  const left = resumed.split('\n\n').filter((frame) => frame.startsWith('event: job.event'));
  assert.deepEqual(left, frames.slice(3));
  for (const forged of ['12', 'AAAAAAAAAAAAAAAAAAAAAA'])
    assert.equal(
      (await api.get('/api/v1/event', { ...tokens.get(side), 'last-event-id': forged })).status,
      400,
      forged,
    );
});

test('an operator of a queue drains the nodes of that queue, and sees no other', async () => {
  const service = async (body: object): Promise<Record<string, string>> =>
    bearer((await send('POST', '/api/v1/security/serviceToken', { name: 'op', ttl: '1h', ...body })).json.token);
  const operator = await service({ role: 'operator', queues: ['arctic'] });
  const drain = async (node: string): Promise<number> =>
    (await api.request('POST', `/api/v1/node/${node}/drain`, { headers: operator })).status;
  assert.equal(await drain(SHARED), 200);
  assert.equal(await drain('arctic-node-2'), 200);
  assert.equal(await drain('bamboo-node-1'), 404);
  assert.equal(await drain('nobody'), 404);
});

test('each grant stands alone: who views everything and operates one queue does both', async () => {
  await send('PUT', '/api/v1/configKV', {
    kvMap: { 'security.roles': 'all:viewer,ops:operator@arctic,one:viewer@bamboo' },
  });
  const caller = async (...groups: string[]): Promise<Record<string, string>> => bearer(await issuer.token({ groups }));
  const both = await caller('all', 'ops');
  assert.equal((await api.get('/api/v1/metricValue/system-total/jobSubmitted', both)).status, 200);
  const drain = async (node: string): Promise<string> => {
    const { status, json } = await api.request('POST', `/api/v1/node/${node}/drain`, { headers: both });
    return status === 200 ? '200' : `${status}/${json.errorCode}`;
  };
  assert.equal(await drain(SHARED), '200');
  assert.equal(await drain('bamboo-node-1'), '403/2003');
  const union = await caller('one', 'ops');
  assert.deepEqual(
    (await api.get('/api/v1/queue', union)).json.map(({ name }: { name: string }) => name),
    ['arctic', 'bamboo'],
  );
  assert.equal((await api.get('/cairn.log', union)).status, 403);
  assert.equal((await api.get('/api/v1/job', await caller('nobody'))).json.errorCode, 2003);
  await send('PUT', '/api/v1/configKV', { kvMap: { 'security.roles': '' } });
});

test('a live stream shows each side its own events only', async () => {
  const headers = tokens.get('arctic') as Record<string, string>;
  const response = await fetch(`${address}/api/v1/event`, { headers });
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await reader.read();
  await grow('bamboo', 3);
  await send('PUT', '/api/v1/configKV', { kvMap: { 'security.corsOrigins': 'https://bamboo.example' } });
  await grow('arctic', 3);
  let text = '';
  while (!text.includes('arctic-job-3-2')) {
    const { done, value } = await reader.read();
    assert.ok(!done);
    text += Buffer.from(value).toString();
  }
  await reader.cancel();
  assert.doesNotMatch(text, /bamboo|security|config\.changed/);
});
