/**
 * What a reader of the clients need not write: lists of any length are read to their end over connections that break, and
 * events resume, also for a caller who is bound to a queue and gets sealed positions.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { createCairn } from '../../../clients/typescript/src/index.ts';
import type { Api } from '../../support/api.ts';
import { breakingProxy, cuttingRelay } from '../../support/clients/breaking-proxy.ts';
import { PYTHON, PYTHON_ENV, withPython } from '../../support/clients/python.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';
import { withServer } from '../../support/with-server.ts';

const JOBS = 4_200;
const WAIT_MS = 60_000;

let issuer: TokenIssuer;
let server: ServerProcess;
let api: Api;
let admin: Record<string, string>;
/** Bound to the queue `own`. */
let token: string;

withServer(
  async () => {
    issuer = await TokenIssuer.start();
    return { env: { CAIRN_IDP_ISSUER: issuer.url } };
  },
  async (served) => {
    ({ server, api } = served);
    assert.equal((await api.put('/api/v1/security/idp', IDP_SETTINGS)).status, 200);
    admin = { authorization: `Bearer ${await issuer.token({ groups: ['admin'] })}` };
    const request = { name: 'reader', role: 'viewer', queues: ['own'], ttl: '1h' };
    token = (await api.post('/api/v1/security/serviceToken', request, admin)).json.token;
    for (let from = 0; from < JOBS; from += 1_000) await post(from, Math.min(JOBS, from + 1_000));
  },
);
after(() => issuer.stop());

const idOf = (i: number): string => `job-${String(i).padStart(6, '0')}`;

/** Every job of the queue `own` stands between two of another one. */
async function post(from: number, to: number): Promise<void> {
  const body = Array.from({ length: to - from }, (_, i) => ({
    id: idOf(from + i),
    queueName: i % 2 === 0 ? 'own' : 'other',
  }));
  assert.equal((await api.post('/api/v1/job', body, admin)).status, 200);
}

const OWN_JOBS = Array.from({ length: JOBS / 2 }, (_, i) => idOf(2 * i));

const report = (id: string, queueName: string): Promise<{ readonly status: number }> => {
  const event = { eventType: 'Job-Creating', timestamp: '2026-05-04T10:00:00Z' };
  return api.post('/api/v1/job', { id, queueName, events: [event] }, admin);
};

test('a list is read to its end by the TypeScript client, over answers that break off', async (t) => {
  const relay = await cuttingRelay(server.address);
  t.after(relay.close);
  const cairn = createCairn({ baseUrl: relay.address, token });
  const ids: string[] = [];
  for await (const { id } of cairn.items('/api/v1/job', { sort: 'id', limit: 500 })) ids.push(id);
  assert.deepEqual(ids, OWN_JOBS);
  assert.ok(relay.cut > 0, 'no answer was cut');
});

const LIST = `
import json, sys
from cairn import Client

client = Client(sys.argv[1], token=sys.argv[2])
print(json.dumps([job["id"] for job in client.iterate_jobs(sort="id", page_size=500)]))
`;

test('a list is read to its end by the Python client, over answers that break off', withPython(), async (t) => {
  const relay = await cuttingRelay(server.address);
  t.after(relay.close);
  const env = { ...process.env, ...PYTHON_ENV };
  const { stdout } = await promisify(execFile)(PYTHON, ['-c', LIST, relay.address, token], { env, timeout: WAIT_MS });
  assert.deepEqual(JSON.parse(stdout), OWN_JOBS);
  assert.ok(relay.cut > 0, 'no answer was cut');
});

const FOLLOW = `
import json, sys
from cairn import Client

client = Client(sys.argv[1], token=sys.argv[2])
for event in client.events(types="job.event", last_event_id=0):
    print(json.dumps([event.id, event.data["job"]]), flush=True)
`;

test('sealed positions resume the events of the Python client', withPython(), async (t) => {
  const proxy = await breakingProxy(Number(new URL(server.address).port));
  t.after(proxy.close);
  await report('first', 'own');
  const child = spawn(PYTHON, ['-c', FOLLOW, proxy.address, token], {
    env: { ...process.env, ...PYTHON_ENV },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: WAIT_MS,
    killSignal: 'SIGKILL',
  });
  t.after(() => child.kill('SIGKILL'));
  const seen: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    const [id, job] = JSON.parse(line) as [string, string];
    seen.push(job);
    if (seen.length === 2) {
      assert.match(id, /^[A-Za-z0-9_-]{22}$/);
      break;
    }
    proxy.breakAll();
    await report('hidden', 'other');
    await report('second', 'own');
  }
  assert.deepEqual(seen, ['first', 'second']);
});

test('an id of an event is a parameter of the TypeScript client as it is', async () => {
  const cairn = createCairn({ baseUrl: server.address, token });
  const read = async (lastEventId: string | number): Promise<{ id: string; job: unknown }[]> => {
    const found = [];
    const signal = AbortSignal.timeout(WAIT_MS);
    for await (const { id, data } of cairn.events({ lastEventId, types: 'job.event', follow: false, signal }))
      found.push({ id, job: data['job'] });
    return found;
  };
  await report('third', 'own');
  await report('fourth', 'own');
  const all = await read(0);
  const [before, last] = all.slice(-2);
  assert.deepEqual([before?.job, last?.job], ['third', 'fourth']);
  assert.deepEqual(await read(before?.id ?? ''), [last]);
});
