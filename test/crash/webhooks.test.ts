/**
 * SIGKILL at random moments between a fact's commit and its delivery: every acknowledged event arrives, in order of its job,
 * and one that is repeated has the same id. `CAIRN_WEBHOOK_ROUNDS` makes it longer.
 */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Api, until } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';

const ROUNDS = Number(process.env['CAIRN_WEBHOOK_ROUNDS'] ?? 3);
const JOBS = 5;

test('every acknowledged event is delivered, however often the server is killed', async () => {
  const idsOf = new Map<string, Set<string>>();
  const firstSeen: string[] = [];
  const receiver = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { id, data } = JSON.parse(Buffer.concat(chunks).toString());
      const what = `${data.job} ${data.event.detail}`;
      if (!idsOf.has(what)) firstSeen.push(what);
      idsOf.set(what, (idsOf.get(what) ?? new Set()).add(id));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  let server = await ServerProcess.start();
  try {
    let api = new Api(server.address);
    await api.put('/api/v1/configKV', { kvMap: { 'security.webhooks.privateTargets': 'true' } });
    await api.put('/api/v1/webhook/w', { url, types: ['job.event'], format: 'cairn' });
    const acknowledged: string[] = [];
    const beganMs = Date.now() - 3_600_000;
    for (let round = 0; round < ROUNDS; round++) {
      const killMs = (37 * (round + 1)) % 400;
      let kill: Promise<unknown> | undefined;
      for (let number = 0; ; number++) {
        const job = `j${number % JOBS}`;
        const detail = `${round}-${number}`;
        const timestamp = new Date(beganMs + acknowledged.length).toISOString();
        const update = { id: job, queueName: 'q', events: [{ eventType: 'Job-Running', timestamp, detail }] };
        const answer = await api.post('/api/v1/job', update).catch(() => undefined);
        if (answer?.status !== 200) {
          assert.ok(kill, `round ${round}: the first report was answered ${answer?.status}, and not by a kill`);
          break;
        }
        acknowledged.push(`${job} ${detail}`);
        kill ??= new Promise((resolve) => setTimeout(resolve, killMs)).then(() => server.kill('SIGKILL'));
      }
      await kill;
      server = await ServerProcess.start({ folders: server.folders });
      api = new Api(server.address);
    }
    await api.post('/api/v1/webhook/w/replay', {});
    const missing = (): string[] => acknowledged.filter((what) => !idsOf.has(what));
    await until(
      async () => missing().length,
      (count) => count === 0,
      'every acknowledged event',
      30_000,
    );
    assert.ok(acknowledged.length >= ROUNDS, `${acknowledged.length} acknowledged`);
    assert.deepEqual(
      [...idsOf].filter(([, ids]) => ids.size > 1),
      [],
      'a repeated event has its id',
    );
    const wanted = new Set(acknowledged);
    for (let j = 0; j < JOBS; j++) {
      const own = (list: readonly string[]): string[] =>
        list.filter((what) => what.startsWith(`j${j} `) && wanted.has(what));
      assert.deepEqual(own(firstSeen), own(acknowledged), `order of j${j}`);
    }
  } finally {
    receiver.close();
    receiver.closeAllConnections();
    await server.dispose();
  }
});
