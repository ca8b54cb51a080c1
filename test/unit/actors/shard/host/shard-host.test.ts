/** A shard as the writer hears it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Write } from '../../../../../src/actors/runtime/behaviour.ts';
import { ShardHost } from '../../../../../src/actors/shard/host/shard-host.ts';
import { SharedStats } from '../../../../../src/actors/shard/wire/shared-stats.ts';
import type { ToWriter } from '../../../../../src/actors/shard/writer/writer-messages.ts';
import { newConfig } from '../../../../../src/protocol/config/config.ts';
import { NO_IDENTITY } from '../../../../../src/protocol/identity/identity.ts';
import { textKey } from '../../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../../src/store/kv/memory-store.ts';
import { beatLogKey } from '../../../../../src/store/records/heartbeat-log.ts';
import { encodeNodeRecord } from '../../../../../src/store/records/node-record.ts';
import { CONFIG_SEEDS } from '../../../../support/config-seeds.ts';
import { PlayedPlatform, PlayedPort } from '../../../../support/played-platform.ts';
import { writeAll } from '../../../../support/write-all.ts';
import { type WrittenLog, writtenLog } from '../../../../support/written-log.ts';

interface Start {
  readonly platform: PlayedPlatform;
  readonly store: MemoryStore;
  readonly writerPort: PlayedPort<ToWriter>;
  readonly host: ShardHost;
  readonly written: WrittenLog;
}

/** The only shard of a server, on a store with this in it. */
function newShard(rows: readonly Write[] = []): Start {
  const platform = new PlayedPlatform();
  const store = new MemoryStore();
  writeAll(store, rows);
  const writerPort = new PlayedPort<ToWriter>();
  const written = writtenLog();
  const state = {
    config: newConfig(CONFIG_SEEDS),
    configVersion: 1,
    definitions: [],
    orders: new Map(),
    identity: NO_IDENTITY,
  };
  const host = new ShardHost(
    { index: 0, shardCount: 1, databaseFolder: '', writerPort, stats: new SharedStats(1).buffer, state },
    written.log,
    { onSignal: () => {} },
    Object.assign(platform, { openReader: () => store }),
  );
  return { platform, store, writerPort, host, written };
}

test('a shard that no message ever reaches says that it needs nothing of the journal, also where that is empty', async () => {
  const { platform, writerPort, host } = newShard();
  const started = host.start();
  // As after many days: numbers go on, and the journal has been trimmed.
  writerPort.say({ type: 'attached', through: 500 });
  await started;
  platform.pass(10_000);
  const said = writerPort.sent.filter(({ type }) => type === 'acknowledged');
  assert.deepEqual(said, [{ type: 'acknowledged', below: 501, received: 500 }]);
});

test('a record of a node that cannot be read keeps the shard from nothing', async () => {
  const record = { factsJson: '{}', state: 'alive', registeredAtMs: 0, endedAtMs: null, lastBeatWallMs: 0 } as const;
  const { writerPort, host, written } = newShard([
    { table: 'node', key: textKey('a'), value: Uint8Array.of(0xc1) },
    { table: 'node', key: textKey('b'), value: encodeNodeRecord(record) },
    { table: 'beat', key: beatLogKey(0, 1), value: Uint8Array.of(9) },
  ]);
  const started = host.start();
  writerPort.say({ type: 'attached', through: 0 });
  await started;
  assert.equal(host.runningNodes, 1);
  assert.deepEqual(
    written.lines.map(({ level, node, damaged }) => [level, node ?? damaged]),
    [
      ['error', 1],
      ['error', 'a'],
    ],
  );
});
