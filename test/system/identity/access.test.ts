/**
 * Every route × every caller (contract section 9). What is expected is derived here from the contract's sentences, not from
 * the table in the code: a line changed there turns a test red here.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { pack } from 'msgpackr';
import { ROUTES } from '../../../src/gateway/api/routes.ts';
import type { Route } from '../../../src/gateway/http/route.ts';
import type { Answer, Api } from '../../support/api.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';
import { withServer } from '../../support/with-server.ts';

const CALLERS = [
  'nobody',
  'user',
  'viewer of a queue',
  'operator',
  'operator of a queue',
  'administrator',
  'node, its own',
  'node, another',
  'join token',
] as const;
type Caller = (typeof CALLERS)[number];
/** Taken, or refused with status and code. */
type Expected = 'taken' | '401/2001' | '403/2003' | '403/2004' | '403/2005';

const ANYONE = /^(GET \/(livez|readyz)|GET \/api\/v1\/(security\/idp|scripts\/install-agent|agent\/package))$/;
const ADMINISTRATORS = new RegExp(
  [
    'PUT /api/v1/(security/idp|configKV|ckptConfig|log/config)',
    'POST /api/v1/security/(nodeKey|serviceToken)',
    'DELETE /api/v1/security/(nodeToken(/\\{id\\})?|serviceToken/\\{id\\})',
    'GET /api/v1/(config/history|audit|doctor|security/serviceToken)',
  ]
    .map((route) => `^${route}$`)
    .join('|'),
);

const OPERATORS = new RegExp(
  [
    'POST /api/v1/security/nodeToken',
    '(POST|DELETE) /api/v1/node/\\{id\\}/drain',
    'POST /api/v1/job/\\{id\\}/checkpoint',
    'PUT /api/v1/metric/\\{id\\}',
    '\\w+ /api/v1/webhook(/.*)?',
  ]
    .map((route) => `^${route}$`)
    .join('|'),
);
const NOT_FOR_QUEUES = /^GET \/\{log_name\}\.log$/;

function expectedOf({ method, path }: Route, caller: Caller): Expected {
  const route = `${method} ${path}`;
  const isNodes = caller.startsWith('node');
  if (ANYONE.test(route)) return 'taken';
  if (caller === 'nobody') return '401/2001';
  if (caller === 'administrator') return 'taken';
  if (route === 'DELETE /api/v1/security/idp') return '403/2005';
  if (ADMINISTRATORS.test(route)) return '403/2003';
  if (OPERATORS.test(route)) return caller.startsWith('operator') ? 'taken' : '403/2003';
  if (route === 'GET /api/v1/security/me') return 'taken';
  if (route === 'GET /api/v1/config') return caller === 'join token' ? '403/2004' : 'taken';
  if (route === 'GET /api/v1/node/{id}' && caller === 'node, its own') return 'taken';
  const isPerson = !isNodes && caller !== 'join token';
  if (method === 'GET' && caller.endsWith('of a queue') && NOT_FOR_QUEUES.test(route)) return '403/2003';
  if (method === 'GET') return isPerson ? 'taken' : '403/2004';
  // What is left is what worker nodes send.
  if (isPerson) return '403/2003';
  if (caller === 'join token') return route === 'PUT /api/v1/node/{id}' ? 'taken' : '403/2004';
  return isNodes && caller === 'node, its own' ? 'taken' : '403/2004';
}

const OWN = 'n-own';
const OTHER = 'n-other';
let issuer: TokenIssuer;
let server: ServerProcess;
let api: Api;
let admin: string;

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` });

withServer(
  async () => {
    issuer = await TokenIssuer.start();
    return { env: { CAIRN_IDP_ISSUER: issuer.url } };
  },
  async (served) => {
    ({ server, api } = served);
    admin = await issuer.token({ groups: ['admin'] });
    for (const id of [OWN, OTHER]) await api.put(`/api/v1/node/${id}`, { instance: { instanceId: `i-${id}` } });
  },
);

after(async () => {
  await issuer.stop();
});

async function tokenOf(caller: Caller): Promise<string | undefined> {
  const service = async (body: object): Promise<string> => {
    const request = { body: { name: caller, ttl: '1h', ...body }, headers: bearer(admin) };
    return (await api.request('POST', '/api/v1/security/serviceToken', request)).json.token;
  };
  const make = async (body: object): Promise<string> =>
    (await api.request('POST', '/api/v1/security/nodeToken', { body, headers: bearer(admin) })).json.token;
  switch (caller) {
    case 'nobody':
      return undefined;
    case 'user':
      return issuer.token({ groups: ['staff'] });
    case 'viewer of a queue':
      return service({ role: 'viewer', queues: ['q'] });
    case 'operator':
      return service({ role: 'operator' });
    case 'operator of a queue':
      return service({ role: 'operator', queues: ['q'] });
    case 'administrator':
      return admin;
    case 'join token':
      return make({ ttl: '1h' });
    default:
      return make({ nodeId: OWN, ttl: '1h' });
  }
}

/** A body that is valid, or that is refused as invalid where taking it would change who may do what. */
function bodyOf({ name }: Route, nodeId: string): unknown {
  const time = new Date().toISOString();
  const event = { timestamp: time, eventType: 'Job-Creating', nodeOid: `i-${nodeId}` };
  const bodies: Readonly<Record<string, unknown>> = {
    postHeartbeat: {},
    postHeartbeats: [{ id: nodeId }],
    postSamples: [{ objectId: `node-${nodeId}`, definitionId: 'cpuPercent', time, value: 1 }],
    postJobs: { id: 'j', queueName: 'q', events: [event] },
    postJobEvents: event,
    registerNode: { instance: { instanceId: `i-${nodeId}` } },
    claimJob: { nodeId, queueName: 'q' },
    interruptNode: { action: 'stop', time },
    rotateNodeKey: { revokeOld: 'not a boolean' },
  };
  return name in bodies ? bodies[name] : {};
}

async function ask(route: Route, nodeId: string, token: string | undefined): Promise<Answer> {
  const path = route.path
    .replace('{log_name}', 'cairn')
    .replace('{path...}', 'var/log/x.log')
    .replace('{id}', route.path.includes('/node') ? (route.name === 'revokeNodeToken' ? 'n-third' : nodeId) : 'j')
    .replace(/\{\w+\}/g, 'x');
  const query = route.name === 'appendNodeFile' ? '?offset=0' : route.name === 'postJobEvents' ? '?queueName=q' : '';
  const headers = token === undefined ? {} : bearer(token);
  if (route.name === 'getEvents') return headOf(path, headers);
  return api.request(route.method, path + query, {
    headers,
    ...(route.method === 'GET' || route.method === 'DELETE' ? {} : { body: bodyOf(route, nodeId) }),
  });
}

/** Of an answer that does not end; a refusal does. */
async function headOf(path: string, headers: Record<string, string>): Promise<Answer> {
  const response = await fetch(server.address + path, { headers });
  const { status } = response;
  if (status !== 200) return api.get(path, headers);
  await response.body?.cancel();
  return { status, headers: {}, rawHeaders: [], bytes: Buffer.alloc(0), text: '', json: undefined };
}

function outcomeOf({ status, json }: Answer): string {
  return status === 401 || status === 403 ? `${status}/${json.errorCode}` : 'taken';
}

/** Disabling the provider would end the walk; its administrator has a test of his own. */
const routes = (ROUTES as readonly Route[]).filter(({ name }) => name !== 'disableIdp');
const disable = (ROUTES as readonly Route[]).find(({ name }) => name === 'disableIdp') as Route;

test('while the provider is off everybody may call everything', async () => {
  for (const route of [...routes, disable]) {
    const answer = await ask(route, OWN, undefined);
    assert.equal(outcomeOf(answer), 'taken', `${route.method} ${route.path}: ${answer.json?.message}`);
    assert.ok(answer.status < 500, `${route.method} ${route.path}: ${answer.status}`);
  }
});

test('the provider is turned on', async () => {
  await api.put(`/api/v1/node/${OWN}`, { instance: { instanceId: `i-${OWN}` } });
  await api.put(`/api/v1/node/${OTHER}`, { instance: { instanceId: `i-${OTHER}` } });
  assert.equal((await api.put('/api/v1/security/idp', IDP_SETTINGS)).status, 200);
});

for (const caller of CALLERS) {
  test(`every route answers ${caller} as the contract says`, async () => {
    const wrong: string[] = [];
    let token = await tokenOf(caller);
    for (const route of caller === 'administrator' ? routes : [...routes, disable]) {
      const answer = await ask(route, caller === 'node, another' ? OTHER : OWN, token);
      // It may have revoked the token.
      if (route.method === 'DELETE' && answer.status < 300) token = await tokenOf(caller);
      const expected = expectedOf(route, caller);
      const outcome = outcomeOf(answer);
      if (outcome !== expected || answer.status >= 500)
        wrong.push(`${route.method} ${route.path}: ${outcome}, want ${expected} (${answer.text.slice(0, 200)})`);
    }
    assert.deepEqual(wrong, []);
  });
}

test('one stranger among its own nodes refuses a node’s whole call', async () => {
  const headers = bearer((await tokenOf('node, its own')) as string);
  const event = (nodeOid: string): object => ({
    timestamp: '2026-11-01T10:00:00Z',
    eventType: 'Job-Restoring',
    nodeOid,
  });
  const calls: [string, unknown, number][] = [
    ['/api/v1/heartbeat', [{ id: OWN }, { id: OTHER }], 403],
    ['/api/v1/job', [{ id: 'a', queueName: 'q', events: [event(OWN), event(OTHER)] }], 403],
    ['/api/v1/job', [{ id: 'a', queueName: 'q', events: [event(OWN), event(`i-${OWN}`)] }], 200],
    ['/api/v1/job', [{ id: 'a', queueName: 'q', events: [event('i-nobody')] }], 403],
    ['/api/v1/job', { id: 'a', queueName: 'q', nodeOid: `i-${OTHER}`, events: [event(OWN)] }, 403],
    ['/api/v1/job/a/event', [event(`i-${OWN}`), event(`i-${OTHER}`)], 403],
    ['/api/v1/metricValue', [{ objectId: 'queue-q', definitionId: 'x', time: '2026-11-01T10:00:00Z', value: 1 }], 403],
  ];
  for (const [path, body, status] of calls) {
    const answer = await api.request('POST', path, { body, headers });
    assert.equal(answer.status, status, `${path} ${JSON.stringify(body)}: ${answer.text}`);
    if (status === 403) assert.equal(answer.json.errorCode, 2004);
  }
  const lines = `{"id":"${OWN}"}\n{"id":"${OTHER}"}\n`;
  const ndjson = { ...headers, 'content-type': 'application/x-ndjson' };
  assert.equal((await api.request('POST', '/api/v1/heartbeat', { body: lines, headers: ndjson })).status, 403);
  const sampleOf = (id: string): string =>
    `${JSON.stringify({ objectId: `node-${id}`, definitionId: 'cpuPercent', time: new Date().toISOString(), value: 1 })}\n`;
  // A line of a series that was sent before is read in another way.
  for (let times = 0; times < 2; times++) {
    const body = sampleOf(OWN) + sampleOf(OTHER);
    const path = '/api/v1/metricValue';
    assert.equal((await api.request('POST', path, { body: sampleOf(OWN), headers: ndjson })).status, 200);
    assert.equal((await api.request('POST', path, { body, headers: ndjson })).status, 403);
    assert.equal((await api.request('POST', path, { body, headers: { ...ndjson, ...bearer(admin) } })).status, 200);
  }
  for (const [ids, status] of [
    [[OWN, OWN], 200],
    [[OWN, OTHER], 403],
  ] as const) {
    const table = {
      objectIds: ids.map((id) => `node-${id}`),
      time: new Date().toISOString(),
      values: { cpuPercent: [1, 2] },
    };
    for (const [body, type] of [
      [JSON.stringify(table), 'application/json'],
      [pack(table), 'application/msgpack'],
    ] as const) {
      const answer = await api.request('POST', '/api/v1/metricValue', {
        body,
        headers: { ...headers, 'content-type': type },
      });
      assert.equal(answer.status, status, `${type}: ${answer.text}`);
    }
  }
  assert.equal((await api.get('/api/v1/job/a', bearer(admin))).json.nodeOid, `i-${OWN}`);
});

test('static files need no token, and an administrator disables the provider', async () => {
  assert.equal((await api.get('/')).status, 200);
  assert.equal((await ask(disable, OWN, admin)).status, 200);
});
