/** Jobs where an identity provider is on: the agents join with a token, and claim, report and leave with their own. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Api, until } from '../../support/api.ts';
import { criuEnv, withCriu } from '../../support/criu.ts';
import { IDP_SETTINGS } from '../../support/idp-settings.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { TokenIssuer } from '../../support/token-issuer.ts';
import { AgentProcess } from '../agent-process.ts';
import { JobRun } from './job-run.ts';
import { counter, numbersTo, untilWritten } from './jobs-world.ts';
import { MetadataService } from './metadata-service.ts';

const LINES = 40;

let folder: string;
let issuer: TokenIssuer;
let server: ServerProcess;
let api: Api;
let metadata: MetadataService;
let admin: Record<string, string>;
const agents: AgentProcess[] = [];

before(async () => {
  if (withCriu().skip !== false) return;
  folder = await mkdtemp(join(tmpdir(), 'cairn-provider-'));
  await mkdir(join(folder, 'work'));
  issuer = await TokenIssuer.start();
  metadata = await MetadataService.start();
  server = await ServerProcess.start({ env: { CAIRN_IDP_ISSUER: issuer.url } });
  api = new Api(server.address);
  const settings = {
    ...{ 'node.heartbeat': '1s', 'node.ttl': '2s', 'ckpt.ckptImagePath': join(folder, 'images') },
    ...{ 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '1h0m0s', 'ckpt.ckptOnSigTerm': 'true' },
    'ckpt.cloudMonitorMode': 'true',
  };
  assert.equal((await api.configKv(settings)).status, 200);
  admin = { authorization: `bearer ${await issuer.token({ groups: ['admin'] })}` };
  assert.equal((await api.put('/api/v1/security/idp', IDP_SETTINGS)).status, 200);
});

after(async () => {
  if (folder === undefined) return;
  await Promise.all(agents.map((agent) => agent.kill('SIGKILL')));
  metadata.stop();
  api.close();
  await server.dispose();
  await issuer.stop();
  await rm(folder, { recursive: true, force: true });
});

const OFF = { CAIRN_IMDS_URL: 'off', CAIRN_GCP_METADATA_URL: 'off', CAIRN_AZURE_METADATA_URL: 'off' };

async function startAgent(id: string, env: Readonly<Record<string, string>>): Promise<void> {
  const made = await api.request('POST', '/api/v1/security/nodeToken', { body: { ttl: '1h' }, headers: admin });
  const args = ['--id', id, '--join-token', made.json.token];
  const options = { server: server.address, dataFolder: join(folder, id), args, env: { ...criuEnv(), ...OFF, ...env } };
  const agent = new AgentProcess(options);
  agents.push(agent);
  await until(
    async () => agent.log,
    (log) => /jobs (can be|run, but)/.test(log) && /registered as/.test(log),
    `the agent ${id} to be ready`,
  );
}

const run = (node: string): JobRun =>
  new JobRun({
    dataFolder: join(folder, node),
    args: ['--job', 'guarded'],
    command: ['/usr/bin/python3', '-c', counter(join(folder, 'end')), String(LINES)],
    cwd: join(folder, 'work'),
  });

const asAdmin = (method: string, path: string) => api.request(method, path, { headers: admin });

async function types(): Promise<string[]> {
  const { json } = await asAdmin('GET', '/api/v1/job/guarded');
  return (json?.events ?? []).map(({ eventType }: { eventType: string }) => eventType);
}

const untilLast = (type: string): Promise<string[]> => until(types, (seen) => seen.at(-1) === type, type);

test(
  'signal, notice and drain: a job is saved, stopped and continued, with the tokens of its nodes',
  withCriu(),
  async () => {
    await startAgent('a', { CAIRN_GCP_METADATA_URL: metadata.url });
    await startAgent('b', {});
    const first = run('a');
    await untilLast('Job-Running');
    await untilWritten(join(folder, 'work', 'own.txt'));
    first.kill('SIGTERM');
    assert.equal(await first.exited, 143, first.errors);
    assert.deepEqual((await untilLast('Job-Stopped')).slice(3), [
      ...['Job-Checkpointing', 'Job-CheckpointSucceeded', 'Job-Stopped'],
    ]);
    const second = run('a');
    await untilLast('Job-RestoreSucceeded');
    metadata.texts.set('/computeMetadata/v1/instance/preempted', 'TRUE');
    assert.equal(await second.exited, 75, second.errors);
    await untilLast('Job-Stopped');
    await until(
      () => asAdmin('GET', '/api/v1/node/a'),
      ({ json }) => json.state === 'deregistered',
      'the node to leave',
    );
    assert.equal(await run('a').exited, 75, 'a node that is being reclaimed takes no job');
    assert.equal((await asAdmin('POST', '/api/v1/node/b/drain')).status, 200);
    assert.equal(await run('b').exited, 75, 'nor does one that is drained');
    assert.equal((await asAdmin('DELETE', '/api/v1/node/b/drain')).status, 200);
    await writeFile(join(folder, 'end'), '');
    const last = run('b');
    assert.equal(await last.exited, 7, last.errors);
    await untilLast('Job-Failed');
    const { json } = await asAdmin('GET', '/api/v1/job/guarded');
    assert.equal(json.spotProtCount, 2);
    const own = await readFile(join(folder, 'work', 'own.txt'), 'utf8');
    assert.deepEqual(own.trimEnd().split('\n'), numbersTo(LINES));
    // A caller without a token of the node reports nothing.
    assert.equal((await api.request('PUT', '/api/v1/job/guarded/claim', { body: { nodeId: 'b' } })).status, 401);
  },
);
