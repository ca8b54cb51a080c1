/** What a shard answers, with the writer's messages and the other shard's in the test's hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  aggregatorAddress,
  type OpenPart,
  type OpenTotals,
  partitionAddress,
} from '../../../../../src/actors/aggregator/messages.ts';
import { sampleMessages } from '../../../../../src/actors/aggregator/sample-batch.ts';
import type { AnyAddress, AnyMessage } from '../../../../../src/actors/runtime/address.ts';
import { ShardHost } from '../../../../../src/actors/shard/host/shard-host.ts';
import { packMessages } from '../../../../../src/actors/shard/wire/message-codec.ts';
import type { PeerItem } from '../../../../../src/actors/shard/wire/peers.ts';
import { shardOf } from '../../../../../src/actors/shard/wire/placement.ts';
import { SharedStats } from '../../../../../src/actors/shard/wire/shared-stats.ts';
import type { FromWriter } from '../../../../../src/actors/shard/writer/writer-messages.ts';
import { newConfig } from '../../../../../src/protocol/config/config.ts';
import { NO_IDENTITY } from '../../../../../src/protocol/identity/identity.ts';
import { BUILT_IN_DEFINITIONS } from '../../../../../src/protocol/metric.ts';
import { MemoryStore } from '../../../../../src/store/kv/memory-store.ts';
import { CONFIG_SEEDS } from '../../../../support/config-seeds.ts';
import { type HeldPipe, HeldPlatform, newHeldPipe } from '../../../../support/held-pipe.ts';

const SHARDS = 2;
const TIME_MS = Date.UTC(2026, 0, 31, 12);
const OBJECT = 'queue-q';
const SILENT = { info() {}, warn() {}, error() {}, debug() {} } as never;

interface Shard {
  readonly host: ShardHost;
  readonly fromWriter: HeldPipe;
  readonly fromPeer: HeldPipe;
  readonly peer: HeldPipe;
  readonly platform: HeldPlatform;
}

/** The shard where the object's aggregator is. */
async function startShard(): Promise<Shard> {
  const index = shardOf(aggregatorAddress(OBJECT), SHARDS);
  const [fromWriter, toShard] = newHeldPipe();
  const [fromPeer, peer] = newHeldPipe();
  const platform = new HeldPlatform(new MemoryStore());
  const identity = NO_IDENTITY;
  const data = {
    index,
    shardCount: SHARDS,
    databaseFolder: '',
    writerPort: fromWriter,
    stats: new SharedStats(SHARDS).buffer,
    state: {
      config: newConfig(CONFIG_SEEDS),
      configVersion: 1,
      definitions: BUILT_IN_DEFINITIONS,
      identity,
      orders: new Map(),
    },
  };
  const host = new ShardHost(data, SILENT, { onSignal: () => {} }, platform);
  const started = host.start();
  toShard.postMessage({ type: 'attached', through: 0 } satisfies FromWriter);
  fromWriter.hear();
  await started;
  host.connectPeer(1 - index, fromPeer);
  return { host, fromWriter, fromPeer, peer, platform };
}

/** As the writer sends it when another shard's batch is durable: it waits in the port, and nobody has looked. */
function deliver({ host, fromWriter }: Pick<Shard, 'host' | 'fromWriter'>, seq: number): void {
  const messageBatches = sampleMessages([OBJECT], [['runtime', TIME_MS, 0, seq]]).map(({ to, message }) => ({
    to: to as AnyAddress,
    messages: [message as AnyMessage],
  }));
  const packed = packMessages(messageBatches, SHARDS).find(({ client }) => client === host.index);
  assert.ok(packed);
  fromWriter.waiting.push({ type: 'delivery', seq, bytes: packed.bytes } satisfies FromWriter);
}

function sumOf(parts: readonly OpenPart[]): number | undefined {
  return parts[0]?.buckets[0]?.sum[0];
}

const OPEN = { type: 'open', objectId: OBJECT, metric: 'runtime' } as const;

test('a question that comes to the shard itself finds the samples that another shard acknowledged', async () => {
  const shard = await startShard();
  deliver(shard, 1);
  assert.equal(sumOf(await shard.host.ask(aggregatorAddress(OBJECT), OPEN)), 1);
  deliver(shard, 2);
  const totals = { type: 'totals', fromMs: 0, toMs: TIME_MS * 2 } as const;
  const [part] = (await shard.host.ask(partitionAddress(0), totals)) as readonly OpenTotals[];
  assert.deepEqual(part?.rows[0]?.[4], [3], 'the summary counts it as well');
});

test('so does a question that comes from another shard', async () => {
  const { host, fromWriter, fromPeer, peer, platform } = await startShard();
  deliver({ host, fromWriter }, 1);
  fromPeer.take([{ type: 'ask', seq: 1, to: aggregatorAddress(OBJECT), message: OPEN, deadlineMs: 1_000 }]);
  for (const run of platform.planned.splice(0)) run();
  const replies = peer.waiting.flat() as PeerItem[];
  const reply = replies.find(({ type }) => type === 'reply');
  assert.ok(reply?.type === 'reply');
  assert.equal(sumOf(reply.value as readonly OpenPart[]), 1);
});
