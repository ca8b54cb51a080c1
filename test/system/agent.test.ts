/** The worker agent from outside: a real server, a real agent, real files. */
import assert from 'node:assert/strict';
import { appendFile, mkdir, mkdtemp, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { cpus, hostname, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Api, until } from '../support/api.ts';
import { freePort } from '../support/network/free-port.ts';
import { ServerProcess } from '../support/server-process.ts';
import { AgentProcess } from './agent-process.ts';

let folder: string;
let server: ServerProcess;
let api: Api;
const agents: AgentProcess[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'cairn-agent-'));
  // A port of its own that stays the same: the server is killed and comes back to it.
  server = await ServerProcess.start({ addr: `http://127.0.0.1:${await freePort()}` });
  api = new Api(server.address);
  assert.equal((await api.configKv({ 'node.heartbeat': '1s', 'node.ttl': '10s' })).status, 200);
});

after(async () => {
  await Promise.all(agents.map((agent) => agent.kill('SIGKILL')));
  api.close();
  await server.dispose();
  await rm(folder, { recursive: true, force: true });
});

function startAgent(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): AgentProcess {
  const agent = new AgentProcess({ server: server.address, dataFolder: join(folder, name), args, env });
  agents.push(agent);
  return agent;
}

const registered = (id: string): Promise<unknown> =>
  until(
    () => api.get(`/api/v1/node/${id}`),
    ({ status, json }) => status === 200 && json.state === 'alive',
    `${id} to be alive`,
  );

const idOf = async (agent: AgentProcess): Promise<string> => {
  const line = /^cairn agent: registered (\S+) with \S+\n$/;
  return (
    line.exec(
      await until(
        async () => agent.output,
        (text) => text !== '',
        'the agent to be registered',
      ),
    )?.[1] ?? assert.fail(agent.output)
  );
};

/** How many samples of the metric the server has of the node. */
const countOf = async (id: string, metric = 'cpuPercent'): Promise<number> => {
  const { status, json } = await api.get(`/api/v1/metricValue/node-${id}/metricDef-${metric}?interval=1m&agg=count`);
  return status === 200 ? json.points.reduce((sum: number, { value }: { value: number }) => sum + value, 0) : 0;
};

const shippedText = async (id: string, path: string): Promise<string> => {
  const { status, text } = await api.get(`/nodes/${id}${path}`);
  return status === 200 ? text : '';
};

test('the node is registered with true facts of its machine, and its beats bring metrics', async () => {
  const agent = startAgent('facts', ['--price-per-hour', '0.1', '--on-demand-price-per-hour', '0.4']);
  const id = await idOf(agent);
  assert.match(id, /^local-[0-9a-f]{12}$/);
  const { json: node } = await api.get(`/api/v1/node/${id}`);
  assert.equal(node.hostName, hostname());
  assert.equal(node.cores, cpus().length);
  assert.equal(node.memoryInMB, Math.floor(totalmem() / 1_048_576));
  assert.ok(node.ips.length > 0);
  assert.ok(node.arch !== '' && node.cpuModel !== '');
  const { createTime, ...instance } = node.instance;
  assert.ok(Date.parse(createTime) <= Date.now());
  assert.deepEqual(instance, {
    zone: 'local',
    instanceId: id,
    instanceType: 'local',
    region: 'local',
    payType: 'OnDemand',
    pricePerHour: 0.1,
    onDemandPricePerHour: 0.4,
  });
  await until(
    () => countOf(id),
    (count) => count >= 2,
    'two beats with metrics',
  );
  for (const metric of [
    'memoryUsedMB',
    'diskUsedMB',
    'diskTotalMB',
    'networkReceivedKBps',
    'networkSentKBps',
    'loadAverage1m',
  ]) {
    assert.ok((await countOf(id, metric)) >= 2, metric);
  }
  const { json } = await api.get(`/api/v1/metricValue/node-${id}/metricDef-memoryUsedMB`);
  assert.ok(json.points.every(({ value }: { value: number }) => value > 0 && value < node.memoryInMB));
  assert.equal(await agent.kill('SIGTERM'), 0);
  assert.equal(
    (await api.get(`/api/v1/node/${id}`)).json.state,
    'alive',
    'an agent that stops does not take its node away',
  );
});

test('a node that was deregistered by others registers again with its next beat', async () => {
  const agent = startAgent('again', ['--id', 'again']);
  await registered('again');
  const noticed = agent.nextLog(/the server does not know this node/);
  await api.delete('/api/v1/node/again');
  await noticed;
  await registered('again');
  await agent.kill('SIGTERM');
});

test('with --deregister-on-exit the node leaves with its agent', async () => {
  const agent = startAgent('leaver', ['--id', 'leaver', '--deregister-on-exit']);
  await registered('leaver');
  assert.equal(await agent.kill('SIGINT'), 0);
  assert.equal((await api.get('/api/v1/node/leaver')).json.state, 'deregistered');
});

test('a log file is shipped to the byte, through rotations, a truncation, and restarts of the agent', async () => {
  const log = join(folder, 'logs', 'job log.txt');
  await mkdir(join(folder, 'logs'));
  const path = encodeURI(log);
  let written = '';
  const write = async (text: string): Promise<void> => {
    await appendFile(log, text);
    written += text;
  };
  const all = (what: string): Promise<string> =>
    until(
      () => shippedText('shipper', path),
      (text) => text === written,
      what,
      30_000,
    );

  const first = startAgent('shipper', ['--id', 'shipper', '--log', log]);
  await registered('shipper');
  await write('the first line\n');
  await write(`${'a line that is compressed on its way\n'.repeat(1_000)}`);
  await all('what was written before');

  await write('the last line of the first file\n');
  await rename(log, `${log}.1`);
  await write('the first line of the second file\n');
  await all('both generations');

  await first.kill('SIGKILL');
  await write('written while no agent ran\n');
  await rename(`${log}.1`, `${log}.2`);
  await rename(log, `${log}.1`);
  await write('the third file\n');
  const second = startAgent('shipper', ['--id', 'shipper', '--log', log]);
  await all('what was written and rotated while no agent ran');

  await truncate(log);
  await write('after the truncation\n');
  await all('what came after the truncation');

  await write('written just before the end\n');
  assert.equal(await second.kill('SIGTERM'), 0);
  assert.equal(await shippedText('shipper', path), written, 'a stopping agent sends what is there');
  assert.deepEqual((await api.get('/api/v1/nodes/shipper/files')).json, [
    `/nodes/shipper${log.split('/').map(encodeURIComponent).join('/')}`,
  ]);
});

test('beats of an outage arrive when the server is back, none lost and none twice, also when the agent was killed meanwhile', async () => {
  const log = join(folder, 'outage.log');
  await writeFile(log, 'before\n');
  const spool = join(folder, 'outage', 'spool.ndjson');
  const spooledLines = async (): Promise<number> =>
    (await readFile(spool, 'utf8').catch(() => '')).split('\n').length - 1;

  const first = startAgent('outage', ['--id', 'outage', '--log', log]);
  await registered('outage');
  await until(
    () => countOf('outage'),
    (count) => count >= 2,
    'beats before the outage',
  );
  // Right after a beat was answered: no call is in flight that the server might have taken without a word.
  await first.nextLog(/beat \S+: accepted/);
  await server.kill('SIGKILL');
  await appendFile(log, 'during\n');
  await until(spooledLines, (count) => count >= 2, 'beats on disk');
  await first.nextLog(/beat \S+: on disk/);
  await first.kill('SIGKILL');

  const second = startAgent('outage', ['--id', 'outage', '--log', log]);
  await second.nextLog(/cannot register: /);
  server = await ServerProcess.start({ folders: server.folders });
  api.close();
  api = new Api(server.address);
  await until(
    async () => (await stat(spool)).size,
    (size) => size === 0,
    'the spool to be empty',
  );
  await second.nextLog(/beat \S+: accepted/);
  assert.equal(await second.kill('SIGTERM'), 0);

  const made = new Set(
    [...`${first.log}${second.log}`.matchAll(/beat (\S+): (?:accepted|on disk)/g)].map((match) => match[1]),
  );
  const onDisk = new Set([...`${first.log}${second.log}`.matchAll(/beat (\S+): on disk/g)].map((match) => match[1]));
  assert.ok(onDisk.size >= 3);
  assert.equal(await countOf('outage', 'memoryUsedMB'), made.size);
  assert.equal(await shippedText('outage', encodeURI(log)), 'before\nduring\n');
});

test('an agent that starts before its server waits for it', async () => {
  const port = await freePort();
  const agent = new AgentProcess({
    server: `http://127.0.0.1:${port}`,
    dataFolder: join(folder, 'early'),
    args: ['--id', 'early'],
  });
  agents.push(agent);
  await agent.nextLog(/cannot register: .*ECONNREFUSED/);
  assert.equal(agent.output, '');
  const late = await ServerProcess.start({ addr: `http://127.0.0.1:${port}` });
  try {
    assert.equal(await idOf(agent), 'early');
    assert.equal(await agent.kill('SIGTERM'), 0);
  } finally {
    await late.dispose();
  }
});

test('on EC2 the node is what the instance metadata service says', async () => {
  const texts: Readonly<Record<string, string>> = {
    '/latest/meta-data/instance-id': 'i-0fedcba9876543210',
    '/latest/meta-data/instance-type': 'c6i.4xlarge',
    '/latest/meta-data/placement/availability-zone': 'eu-west-1b',
    '/latest/meta-data/placement/region': 'eu-west-1',
    '/latest/meta-data/instance-life-cycle': 'spot',
    '/latest/dynamic/instance-identity/document': '{"pendingTime": "2026-10-01T12:34:56Z"}',
  };
  const imds = http.createServer(({ method, url = '', headers }, response) => {
    if (method === 'PUT' && url === '/latest/api/token' && headers['x-aws-ec2-metadata-token-ttl-seconds'])
      return response.end('a-token');
    const text = headers['x-aws-ec2-metadata-token'] === 'a-token' ? texts[url] : undefined;
    response.statusCode = text === undefined ? 401 : 200;
    return response.end(text ?? '');
  });
  await new Promise<void>((resolve) => imds.listen(0, '127.0.0.1', resolve));
  const env = { CAIRN_IMDS_URL: `http://127.0.0.1:${(imds.address() as AddressInfo).port}` };
  try {
    const agent = startAgent('ec2', [], env);
    const id = await idOf(agent);
    const { json: node } = await api.get(`/api/v1/node/${id}`);
    assert.equal(node.cloud, 'aws');
    assert.deepEqual(node.instance, {
      zone: 'eu-west-1b',
      instanceId: 'i-0fedcba9876543210',
      instanceType: 'c6i.4xlarge',
      region: 'eu-west-1',
      createTime: '2026-10-01T12:34:56Z',
      payType: 'Spot',
    });
    assert.equal(id, 'i-0fedcba9876543210');
    await agent.kill('SIGTERM');
  } finally {
    imds.closeAllConnections();
    await new Promise((resolve) => imds.close(resolve));
  }
  const again = startAgent('ec2', [], env);
  assert.equal(
    await idOf(again),
    'i-0fedcba9876543210',
    'the service is gone, and the node keeps its id within this boot',
  );
  await again.kill('SIGTERM');
});

test('a server with a certificate of its own is trusted with --ca, and not without', async () => {
  const secure = await ServerProcess.start({ addr: `https://127.0.0.1:${await freePort()}` });
  const connect = (name: string, args: readonly string[]): AgentProcess => {
    const agent = new AgentProcess({
      server: secure.address,
      dataFolder: join(folder, name),
      args: ['--id', name, ...args],
    });
    agents.push(agent);
    return agent;
  };
  try {
    const trusting = connect('trusting', ['--ca', join(secure.folders.data, 'tls', 'server.crt')]);
    assert.equal(await idOf(trusting), 'trusting');
    assert.equal(await trusting.kill('SIGTERM'), 0);
    const careless = connect('careless', ['--insecure']);
    assert.equal(await idOf(careless), 'careless');
    assert.equal(await careless.kill('SIGTERM'), 0);
    const strict = connect('strict', []);
    await strict.nextLog(/cannot register: .*certificate/);
    assert.equal(strict.output, '');
    assert.equal(await strict.kill('SIGTERM'), 0);
  } finally {
    await secure.dispose();
  }
});

test('a second agent on the same data folder does not start, and wrong options are named', async () => {
  const first = startAgent('one', ['--id', 'one']);
  await registered('one');
  const second = startAgent('one', ['--id', 'two']);
  assert.equal(await second.exited, 1);
  assert.match(second.log, /is in use by another agent/);
  const wrong = startAgent('wrong', ['--id', 'not an id']);
  assert.equal(await wrong.exited, 2);
  assert.match(wrong.log, /cannot use the id not an id/);
  await first.kill('SIGKILL');
  const third = startAgent('one', ['--id', 'one']);
  assert.equal(await idOf(third), 'one', 'what a killed agent left behind does not keep the next one out');
  await third.kill('SIGTERM');
});
