/** The files of packaging/prometheus and packaging/grafana in the real Prometheus, over TLS (contract section 13). */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { Api, until } from '../../support/api.ts';
import { freePort } from '../../support/network/free-port.ts';
import { promtool, withPrometheus } from '../../support/operations/prometheus.ts';
import { withServer } from '../../support/with-server.ts';

const RULES = 'packaging/prometheus/cairn-alerts.yml';

let api: Api;
let address: string;
let ca: string;
let prometheus: ChildProcess | undefined;
let folder: string | undefined;

withServer({ addr: 'https://127.0.0.1:0' }, ({ server, api: client }) => {
  api = client;
  address = server.address;
  ca = join(server.folders.data, 'tls', 'server.crt');
});

after(async () => {
  prometheus?.kill('SIGKILL');
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

test(
  'rules and configuration are valid, and each rule is fired by its own fault and by no other',
  withPrometheus(),
  async () => {
    promtool(['check', 'rules', RULES]);
    promtool(['check', 'config', '--syntax-only', 'packaging/prometheus/prometheus.yml']);
    promtool(['test', 'rules', 'packaging/prometheus/cairn-alerts.test.yml']);
    const alerts = [...(await readFile(RULES, 'utf8')).matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
    const tested = await readFile('packaging/prometheus/cairn-alerts.test.yml', 'utf8');
    for (const name of alerts) {
      for (const what of ['fires', 'is quiet'])
        assert.ok(tested.includes(`- name: ${name} ${what}`), `${name} ${what}`);
    }
  },
);

/** The packaged configuration, as an operator fills it in. */
async function startPrometheus(): Promise<Api> {
  folder = await mkdtemp(join(tmpdir(), 'cairn-test-'));
  await writeFile(join(folder, 'token'), 'no token is looked at without a provider');
  const packaged = await readFile('packaging/prometheus/prometheus.yml', 'utf8');
  const filled = packaged
    .replace('cairn.example.com:443', new URL(address).host)
    .replace('/etc/prometheus/cairn-token', join(folder, 'token'))
    .replace('/etc/prometheus/cairn-ca.crt', ca)
    .replace('cairn-alerts.yml', resolve(RULES))
    .replaceAll('15s', '1s');
  const config = join(folder, 'prometheus.yml');
  await writeFile(config, filled);
  const listen = `127.0.0.1:${await freePort()}`;
  const flags = [
    `--config.file=${config}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${listen}`,
  ];
  prometheus = spawn('prometheus', flags, { stdio: 'ignore' });
  return new Api(`http://${listen}`);
}

test(
  'Prometheus scrapes the server over TLS, a planted fault fires, and every panel has data',
  withPrometheus(),
  async () => {
    await api.put('/api/v1/node/n-1', { id: 'n-1', instance: { instanceId: 'i-1', payType: 'Spot' } });
    const time = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
    const types = [
      'Job-Running',
      'Job-Checkpointing',
      'Job-CheckpointSucceeded',
      'Job-Checkpointing',
      'Job-CheckpointFailed',
    ];
    const events = types.map((eventType, i) => ({ timestamp: time(7_200 - i), eventType, nodeOid: 'i-1' }));
    await api.post('/api/v1/job', { id: 'j-1', queueName: 'q', events });
    await api.post('/api/v1/job', {
      id: 'j-2',
      queueName: 'q',
      events: [...events, { timestamp: time(60), eventType: 'Job-Succeeded' }],
    });
    const scraper = await startPrometheus();
    const query = async (expr: string): Promise<readonly unknown[]> => {
      const answer = await scraper.get(`/api/v1/query?query=${encodeURIComponent(expr)}`).catch(() => undefined);
      return answer?.json?.data?.result ?? [];
    };
    // Two scrapes make a rate.
    await until(
      () => query('count_over_time(up{job="cairn"}[1m]) >= 4'),
      (found) => found.length === 1,
      'some scrapes',
    );
    assert.equal((await query('up{job="cairn"} == 1')).length, 1);
    await until(
      () => query('ALERTS{alertname="CairnCheckpointOld"}'),
      (found) => found.length === 1,
      'the alert of the job that was last saved two hours ago',
    );
    assert.equal((await query('ALERTS')).length, 1, 'no other alert');
    for (const name of await readdir('packaging/grafana')) {
      const board = JSON.parse(await readFile(join('packaging/grafana', name), 'utf8'));
      assert.ok(board.panels.length > 0);
      for (const { title, targets } of board.panels)
        for (const { expr } of targets)
          assert.ok((await query(expr.replaceAll('$instance', '.*'))).length > 0, `${name}: ${title}: ${expr}`);
    }
    scraper.close();
  },
);
