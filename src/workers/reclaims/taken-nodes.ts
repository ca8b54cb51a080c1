/** Spot nodes that were taken in a range: lost, or gone or going after a notice of the cloud. From their records. */
import type { Queues } from '../../protocol/identity/role.ts';
import type { Interruption, NodeFacts, WorkerNode } from '../../protocol/node.ts';
import { epochMsOf, epochNsOfMs, mustParseTimestamp } from '../../protocol/timestamp.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { KeyReader, keyOf, textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { decodeNodeRecord, nodePriceOf, oidsOf, readNodePrice } from '../../store/records/node-record.ts';
import { ranJobOf } from '../../store/records/queue-node.ts';
import type { Turns } from '../jobs/job-groups.ts';
import type { ReclaimListTask } from '../task/reclaim-task.ts';
import { keysBackwards } from './backwards.ts';
import type { Taking } from './hits.ts';

export interface TakenNode extends Taking {
  readonly facts: NodeFacts;
  /** By which jobs name it. */
  readonly oids: readonly string[];
  readonly state: WorkerNode['state'];
  /** Last heartbeat, milliseconds since 1970. */
  readonly atMs: number;
  readonly notice: Interruption | null;
}

/** Records of ended nodes that are looked at. */
const NODES_MAX = 20_000;
/** What a record costs, in rows that are counted. */
const COST = 250;
/** Where the receipt of a notice was not kept: the shortest that a cloud gives before it takes a spot machine. */
const NOTICE_MS = 120_000;

type Asked = Pick<ReclaimListTask, 'fromMs' | 'toMs' | 'node' | 'noticed' | 'queues'>;

/** Newest first. `isCut`: there are more ended nodes than are looked at, and the oldest of the range may be missing. */
export async function takenNodes(
  reader: Reader,
  asked: Asked,
  turns: Turns,
  nodesMax = NODES_MAX,
): Promise<{ readonly nodes: readonly TakenNode[]; readonly isCut: boolean }> {
  const nodes: TakenNode[] = [];
  const add = (node: Known | undefined): void => {
    const taken = node && takenNode(node, asked);
    if (taken && isSeen(reader, taken, asked.queues)) nodes.push(taken);
  };
  for (const json of asked.noticed) add(livingNode(reader, json));
  let looked = 0;
  if (asked.node !== null) {
    const id = readNodePrice(reader, asked.node)?.nodeId ?? asked.node;
    add(endedNode(reader, id));
  } else {
    for await (const id of endedSince(reader, asked.fromMs, turns)) {
      if (looked >= nodesMax) break;
      looked++;
      add(endedNode(reader, id));
    }
  }
  nodes.sort((a, b) => b.atMs - a.atMs || (a.facts.id < b.facts.id ? -1 : 1));
  return { nodes, isCut: looked >= nodesMax };
}

/** A node ends after its last heartbeat: the last to end come first. */
async function* endedSince(reader: Reader, fromMs: number, turns: Turns): AsyncGenerator<string> {
  const start = keyOf({ ms: Math.max(0, Math.floor(fromMs)) });
  for (const key of keysBackwards(reader, 'nodeEnded', { start })) {
    const parts = new KeyReader(key);
    parts.ms();
    yield parts.text();
    if (turns.spend(COST)) await turns.next();
  }
}

interface Known extends Pick<TakenNode, 'facts' | 'state' | 'atMs' | 'notice'> {}

function endedNode(reader: Reader, id: string): Known | undefined {
  const bytes = reader.get('node', textKey(id));
  if (!bytes || isDamaged(bytes)) return undefined;
  const { factsJson, state, lastBeatWallMs, interruption = null } = decodeNodeRecord(bytes);
  // Of one that runs only its shard knows when it beat last.
  if (state === 'alive') return undefined;
  return { facts: JSON.parse(factsJson) as NodeFacts, state, atMs: lastBeatWallMs, notice: interruption };
}

function livingNode(reader: Reader, json: string): Known {
  const node = JSON.parse(json) as WorkerNode & NodeFacts & { readonly interruption?: Interruption };
  const { state, lastHeartbeat, interruption = null } = node;
  const bytes = reader.get('node', textKey(node.id));
  // Readers do not get when it was received.
  const kept = bytes && !isDamaged(bytes) ? decodeNodeRecord(bytes).interruption : undefined;
  return { facts: node, state, atMs: Date.parse(lastHeartbeat), notice: kept ?? interruption };
}

/** The rule of the page of reclaims. */
function takenNode({ facts, state, atMs, notice }: Known, { fromMs, toMs, node }: Asked): TakenNode | undefined {
  if (!nodePriceOf(facts).spot || atMs < fromMs || atMs >= toMs) return undefined;
  if (notice === null && state !== 'lost') return undefined;
  const oids = oidsOf(facts);
  if (node !== null && !oids.includes(node)) return undefined;
  const at = epochNsOfMs(atMs);
  return { facts, oids, state, atMs, notice, at, from: notice ? noticedAt(notice, atMs) : at };
}

function noticedAt({ time, receivedAt }: Interruption, atMs: number): bigint {
  if (receivedAt !== undefined) return mustParseTimestamp(receivedAt);
  return epochNsOfMs(Math.min(epochMsOf(mustParseTimestamp(time)), atMs) - NOTICE_MS);
}

function isSeen(reader: Reader, { facts }: TakenNode, queues: Queues): boolean {
  return queues === null || ranJobOf(reader, facts, queues);
}
