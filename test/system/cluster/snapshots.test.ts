/** A server that the stream does not reach back to: it is filled from a snapshot, logs and all, and goes on with the stream. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { NatsEngine } from '../../../src/store/replica/nats-engine.ts';
import { atEnd } from '../../support/at-end.ts';
import { Engines, enginesAbsent } from '../../support/cluster/engines.ts';
import { untilOneLeads, WriterProcess } from '../../support/cluster/writer-process.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const absent = enginesAbsent();

it('the stream is trimmed behind the last two snapshots, and a newcomer begins with the newest', {
  skip: absent ?? false,
  timeout: 120_000,
}, async (t) => {
  const keyFile = join(temporaryFolder(t), 'cluster.key');
  writeFileSync(keyFile, 'a key of a cluster, for this test alone');
  const engines = await Engines.start(1, 'snapshots');
  atEnd(t, () => engines.stop());
  const newWriter = (id: string): WriterProcess => {
    const writer = new WriterProcess(id, engines.addresses, 'snapshots', { keyFile, snapshotBytes: 100_000 });
    atEnd(t, () => writer.end());
    return writer;
  };
  const engine = await NatsEngine.connect({
    servers: engines.addresses,
    cluster: 'snapshots',
    credsFile: null,
    caFile: null,
    warn: () => {},
  });
  atEnd(t, () => engine.close());

  const a = newWriter('a');
  await a.start();
  await untilOneLeads([a]);
  let written = 0;
  let log = '';
  while ((await engine.bounds()).first <= 1) {
    assert.ok(written < 5_000, 'the stream is trimmed before 100 MB were written');
    const line = `line ${written}\n`;
    await a.ask('put', { key: `row-${written}`, text: 'x', size: 20_000 });
    await a.ask('log', { key: 'var/job.log', text: line, size: log.length });
    log += line;
    written++;
  }

  const c = newWriter('c');
  await c.start();
  await c.until(({ role }) => role === 'follower', 'follows');
  await Promise.all([a, c].map((writer) => writer.ask('barrier')));
  const digests = await Promise.all([a, c].map((writer) => writer.ask('digest')));
  assert.equal(/^definition (\d+)/m.exec(digests[0] ?? '')?.[1], String(written));
  const tables = digests.map((digest) => digest.replace(/^(position|meta) .*\n/gm, ''));
  assert.equal(tables[1], tables[0]);
  for (const { logFolder } of [a, c])
    assert.equal(readFileSync(join(logFolder, 'nodes/node-1/var/job.log'), 'utf8'), log);
});

it('what a killed leader has sent of a snapshot is removed, and no piece of a whole one', {
  skip: absent ?? false,
  timeout: 60_000,
}, async (t) => {
  const engines = await Engines.start(1, 'parts');
  atEnd(t, () => engines.stop());
  const engine = await NatsEngine.connect({
    servers: engines.addresses,
    cluster: 'parts',
    credsFile: null,
    caFile: null,
    warn: () => {},
  });
  atEnd(t, () => engine.close());
  const snapshots = await engine.snapshots();
  const whole = Buffer.from('a snapshot');
  const pieces = async function* (): AsyncIterable<Uint8Array> {
    yield whole;
  };
  await snapshots.put(7, pieces());
  const connection = await connect({ servers: engines.addresses });
  atEnd(t, () => connection.close());
  const store = 'CAIRN_parts';
  await jetstream(connection).publish(`$O.${store}.C.HALF`, Buffer.from('half of'));
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const piecesKept = async (): Promise<number> => (await manager.streams.info(`OBJ_${store}`)).state.messages;
  const before = await piecesKept();
  await snapshots.removeParts(60_000);
  assert.equal(await piecesKept(), before, 'one that may still be sent');
  await snapshots.removeParts(0);
  assert.equal(await piecesKept(), before - 1);
  assert.deepEqual(await snapshots.list(), [7]);
  const read: Uint8Array[] = [];
  for await (const piece of await snapshots.get(7)) read.push(piece);
  assert.deepEqual(Buffer.concat(read), whole);
});
