/**
 * When faults are over and time has passed, the server's view is the truth: who beats runs, who is silent is lost, who said
 * goodbye is gone; every acknowledged sample counts once; series are counted as they are stored.
 */
import { aggregatorAddress, type OpenPart } from '../../../src/actors/aggregator/messages.ts';
import type { NodeFilter, NodePage } from '../../../src/actors/node/directory.ts';
import { shardOf } from '../../../src/actors/shard/wire/placement.ts';
import { nodeObjectId, SYSTEM_TOTAL } from '../../../src/protocol/metric.ts';
import { LEVELS, type Level } from '../../../src/protocol/rollup-retention.ts';
import { textKey } from '../../../src/store/kv/keys.ts';
import type { Reader } from '../../../src/store/kv/store.ts';
import { listOf, visitBuckets } from '../../../src/workers/series/series-read.ts';
import type { Auditor } from '../auditor.ts';
import type { SimServer, SimShard } from '../sim-server.ts';
import type { SimNode } from '../workload.ts';

export interface Acknowledged {
  readonly server: SimServer;
  readonly auditor: Auditor;
  readonly reader: Reader;
  readonly nodes: readonly SimNode[];
  readonly wallMs: number;
}

/** Wall clocks jump by hours at most. */
const AROUND_MS = 86_400_000;

export function pendingFaults(world: Acknowledged): string[] {
  return [...nodeFaults(world), ...sampleFaults(world), ...jobFaults(world), ...seriesFaults(world)];
}

function nodeFaults({ server, auditor, nodes }: Acknowledged): string[] {
  const running = new Set(server.shards.flatMap((shard) => idsOf(shard, 'running')));
  const lost = new Set(server.shards.flatMap((shard) => idsOf(shard, 'lost')));
  const faults: string[] = [];
  for (const { id, mode } of nodes) {
    const { versionAcknowledged, isGone } = auditor.node(id);
    if (running.has(id) && lost.has(id)) faults.push(`${id} is running and lost`);
    if (mode === 'beating' && !running.has(id)) faults.push(`${id} beats and is not listed`);
    if (mode === 'silent' && running.has(id)) faults.push(`${id} is silent and still listed`);
    if (mode === 'silent' && versionAcknowledged > 0 && !isGone && !lost.has(id))
      faults.push(`${id} is silent and not in the history of the lost`);
    if (mode === 'gone' && isGone && (running.has(id) || lost.has(id))) faults.push(`${id} is gone and listed`);
  }
  return faults;
}

/** Nothing is on its way any more: the count of series is that of the store, and all room was given back. */
function seriesFaults({ server: { stats }, reader }: Acknowledged): string[] {
  const stored = reader.count('series');
  const faults = stats.seriesCount === stored ? [] : [`${stats.seriesCount} series are counted, and ${stored} stored`];
  return stats.seriesTaken === 0
    ? faults
    : [...faults, `room for ${stats.seriesTaken} series is taken and not given back`];
}

export function idsOf({ index, host }: SimShard, state: NodeFilter['state']): string[] {
  const ask = { type: 'page', filter: { state }, after: '', limit: 10_000 };
  return answerOf<NodePage>(host, { kind: 'directory', id: String(index) }, ask)?.items.map(({ id }) => id) ?? [];
}

function answerOf<T>(
  host: SimShard['host'],
  to: { kind: string; id: string },
  message: { type: string },
): T | undefined {
  let answer: T | undefined;
  host?.request(to, message, 1_000, (_, value) => {
    answer = value as T;
  });
  return answer;
}

function countOf({ server, reader, wallMs }: Acknowledged, objectId: string, metric: string): number {
  const to = aggregatorAddress(objectId);
  const host = server.shards[shardOf(to, server.shards.length)]?.host ?? null;
  const ask = { type: 'open', objectId, metric };
  const open = answerOf<readonly OpenPart[]>(host, to, ask) ?? [];
  const level = LEVELS.at(-1) as Level;
  const question = { objectId, metric, fromMs: wallMs - AROUND_MS, toMs: wallMs + AROUND_MS, open };
  let total = 0;
  visitBuckets(reader, level, question, {
    visit: (run) => {
      for (const { count } of listOf(run)) total += count;
    },
  });
  return total;
}

function sampleFaults(world: Acknowledged): string[] {
  return [...world.auditor.nodes.values()].flatMap(({ id, samplesServed, samplesAcknowledged }) => {
    const count = countOf(world, nodeObjectId(id), 'cpuPercent');
    if (count >= samplesAcknowledged && count <= samplesServed) return [];
    return [`${id} has ${count} samples; ${samplesAcknowledged} were acknowledged, ${samplesServed} arrived`];
  });
}

function jobFaults(world: Acknowledged): string[] {
  const stored = [...world.auditor.jobs.keys()].filter((id) => world.reader.get('job', textKey(id)) !== undefined);
  const submitted = countOf(world, SYSTEM_TOTAL, 'jobSubmitted');
  return submitted === stored.length ? [] : [`${stored.length} jobs are stored, ${submitted} are counted as submitted`];
}
