/** Starts and stops of the process in every situation (contract section 1). */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { Api, until } from '../../support/api.ts';
import { makeFolders, removeFolders, ServerProcess } from '../../support/server-process.ts';

test('what is refused during a stop was not taken, and what was taken is not refused', async () => {
  const server = await ServerProcess.start({ args: ['--shards', '3'] });
  const agent = new http.Agent({ keepAlive: true });
  const answers = new Map<string, number>();
  let next = 0;
  /** Sends a job, then the next one, until a connection ends. */
  const client = async (): Promise<void> => {
    for (;;) {
      const id = `j${next++}`;
      const status = await postJob(`${server.address}/api/v1/job`, id, agent);
      answers.set(id, status);
      if (status !== 200) return;
    }
  };
  const clients = Array.from({ length: 64 }, client);
  await until(
    async () => next,
    (count) => count > 500,
    'some hundred jobs',
  );
  assert.equal(await server.kill('SIGTERM'), 0);
  await Promise.all(clients);
  agent.destroy();
  const again = await ServerProcess.start({ folders: server.folders });
  const after = new Api(again.address);
  const ids = new Set((await after.get('/api/v1/job')).json.map(({ id }: { id: string }) => id));
  const wrong = [...answers].filter(
    ([id, status]) => (status === 200 && !ids.has(id)) || (status === 503 && ids.has(id)),
  );
  assert.deepEqual(wrong, []);
  const others = [...answers].filter(([, status]) => ![0, 200, 503].includes(status));
  assert.deepEqual(others, [], 'a stop that is orderly leaves no outcome unknown');
  assert.ok([...answers.values()].includes(200));
  after.close();
  await again.dispose();
});

/** The status; 0 where there is no answer. */
function postJob(url: string, id: string, agent: http.Agent): Promise<number> {
  return new Promise((resolve) => {
    const headers = { 'content-type': 'application/json' };
    const request = http.request(url, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    request.once('error', () => resolve(0));
    request.end(JSON.stringify({ id, queueName: 'q' }));
  });
}

test('the access log has the last call before a stop', async () => {
  const server = await ServerProcess.start();
  const api = new Api(server.address);
  await api.get('/api/v1/config?last=call');
  assert.equal(await server.kill('SIGTERM'), 0);
  api.close();
  assert.match(await server.logText('cairn-access.log'), /\/api\/v1\/config\?last=call/);
  await server.dispose();
});

test('SIGINT ends it too, also while a client holds a connection open', async () => {
  const server = await ServerProcess.start();
  const agent = new http.Agent({ keepAlive: true });
  await new Promise<void>((resolve) =>
    http.get(`${server.address}/livez`, { agent }, (response) => response.resume().on('end', resolve)),
  );
  assert.equal(await server.kill('SIGINT'), 0);
  agent.destroy();
  await server.dispose();
});

test('a port that is in use is told in a sentence, and so is a bad configuration file', async () => {
  const server = await ServerProcess.start();
  await assert.rejects(
    ServerProcess.start({ addr: server.address }),
    /it is in use; free it, or change addr in \/.*\/config\.json/,
  );
  await server.kill('SIGTERM');
  await writeFile(join(server.folders.data, 'config.json'), '{"node":{"ttl":"1s","heartbeat":"x"}}');
  await assert.rejects(ServerProcess.start({ folders: server.folders }), /node\.heartbeat is not a duration/);
  await writeFile(join(server.folders.data, 'config.json'), '{');
  await assert.rejects(ServerProcess.start({ folders: server.folders }), /it is not JSON/);
  await server.dispose();
});

test('options come from the environment too, and a flag wins', async () => {
  const folders = await makeFolders();
  const env = { CAIRN_SHARDS: '3', CAIRN_WORKERS: '2', CAIRN_DATA_DIR: '/nonexistent' };
  const server = await ServerProcess.start({ folders, env });
  const metrics = (await new Api(server.address).get('/metrics')).text;
  assert.equal(new Set(metrics.match(/thread="shard-\d"/g)).size, 3);
  await server.dispose();
});

test('a configuration edited by hand while the server was down raises the version', async () => {
  const server = await ServerProcess.start();
  const api = new Api(server.address);
  const config = (await api.get('/api/v1/config')).json;
  const before = (await api.put('/api/v1/node/n', {})).json.configVersion;
  api.close();
  await server.kill('SIGTERM');
  config.job.diskSizeGB = 777;
  await writeFile(join(server.folders.data, 'config.json'), JSON.stringify(config));
  const again = await ServerProcess.start({ folders: server.folders });
  const after = new Api(again.address);
  assert.equal((await after.get('/api/v1/config')).json.job.diskSizeGB, 777);
  assert.equal((await after.put('/api/v1/node/n', {})).json.configVersion, before + 1);
  after.close();
  await again.dispose();
  await removeFolders(server.folders);
});
