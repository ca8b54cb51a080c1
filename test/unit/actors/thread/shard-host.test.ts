/** A shard as the writer hears it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ShardHost } from '../../../../src/actors/thread/shard-host.ts';
import { SharedStats } from '../../../../src/actors/thread/shared-stats.ts';
import type { ToWriter } from '../../../../src/actors/thread/writer-messages.ts';
import type { Logger } from '../../../../src/base/log.ts';
import { newConfig } from '../../../../src/protocol/config.ts';
import { NO_IDENTITY } from '../../../../src/protocol/identity.ts';
import { MemoryStore } from '../../../../src/store/memory-store.ts';
import { CONFIG_SEEDS } from '../../../support/config-seeds.ts';
import { PlayedPort, PlayedRim } from '../../../support/played-rim.ts';

const silent = (): void => {};
const LOG: Logger = {
  trace: silent,
  debug: silent,
  info: silent,
  warn: silent,
  error: silent,
  fatal: silent,
  child: () => LOG,
  setLevel: silent,
};

test('a shard that no message ever reaches says that it needs nothing of the journal, also where that is empty', async () => {
  const rim = new PlayedRim();
  const store = new MemoryStore();
  const writerPort = new PlayedPort<ToWriter>();
  const state = { config: newConfig(CONFIG_SEEDS), configVersion: 1, definitions: [], identity: NO_IDENTITY };
  const stats = new SharedStats(1);
  const host = new ShardHost(
    { index: 0, shardCount: 1, databaseFolder: '', writerPort, stats: stats.buffer, state },
    LOG,
    { onSignal: silent },
    Object.assign(rim, { openReader: () => store }),
  );
  const started = host.start();
  // As after many days: numbers go on, and the journal has been trimmed.
  writerPort.say({ type: 'attached', through: 500 });
  await started;
  rim.pass(10_000);
  const said = writerPort.sent.filter(({ type }) => type === 'settled');
  assert.deepEqual(said, [{ type: 'settled', below: 501, received: 500 }]);
});
