/** The list of running nodes, and what the server knows of all that ever registered. */
import { epochMsOf, mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import { differencesBetween, tell } from '../model/differences.ts';
import type { NodeRecord } from '../run/node-record.ts';
import type { RunContext } from '../run/run-context.ts';
import type { Comparison, Look } from './comparison.ts';
import type { ReadBack } from './read-back.ts';

interface AnsweredNode {
  readonly id: string;
  readonly state: string;
  readonly lastHeartbeat: string;
}

/** `lastHeartbeat` may be so old after a crash (contract section 4). */
const BEAT_AGE_MS = 5_000;

export async function verifyNodes(comparison: Comparison, readBack: ReadBack, run: RunContext): Promise<void> {
  // First of all, while the last beats are fresh.
  await comparison.check('running nodes', () => lookAtRunning(readBack, run));
  await comparison.check('all nodes', () => lookAtAll(readBack, run));
}

async function lookAtRunning(readBack: ReadBack, run: RunContext): Promise<Look> {
  const { nodes, differences } = await read(readBack, '/api/v1/node', run.nodes);
  const nowMs = performance.now();
  let compared = 0;
  for (const [id, record] of run.nodes) {
    const node = nodes.get(id);
    if (record.standing === 'unsure') continue;
    const mustBeThere = isUp(record) && nowMs - record.lastBeatMs <= run.server.ttlMs;
    const mustBeGone = record.standing === 'departed' || record.standing === 'unregistered';
    compared++;
    if (node && mustBeGone) differences.push(`${id} is ${record.standing}, but listed as running`);
    if (!node && mustBeThere)
      differences.push(`${id} beat ${((nowMs - record.lastBeatMs) / 1_000).toFixed(1)} s ago, but is not listed`);
    if (node) differences.push(...differencesOf(record, node, run, ['alive', 'late']));
  }
  return { compared, differences };
}

async function lookAtAll(readBack: ReadBack, run: RunContext): Promise<Look> {
  const { nodes, differences } = await read(readBack, '/api/v1/node?state=all', run.nodes);
  let compared = 0;
  for (const [id, record] of run.nodes) {
    if (record.standing === 'unsure' || record.standing === 'unregistered') continue;
    compared++;
    const node = nodes.get(id);
    const states = record.standing === 'departed' ? ['deregistered'] : ['alive', 'late', 'lost'];
    if (node) differences.push(...differencesOf(record, node, run, states));
    else differences.push(`${id} has registered, but is not known`);
  }
  return { compared, differences };
}

/** Nodes of the fleet in the list, which must be by id. */
async function read(
  readBack: ReadBack,
  path: string,
  ours: ReadonlyMap<string, NodeRecord>,
): Promise<{ nodes: Map<string, AnsweredNode>; differences: string[] }> {
  const nodes = new Map<string, AnsweredNode>();
  const differences: string[] = [];
  let before = '';
  for await (const element of readBack.elements(path)) {
    const node = element as AnsweredNode;
    if (node.id <= before) differences.push(`${node.id} comes after ${before}: the list is not by id`);
    before = node.id;
    if (ours.has(node.id)) nodes.set(node.id, node);
  }
  return { nodes, differences };
}

function differencesOf(record: NodeRecord, node: AnsweredNode, run: RunContext, states: readonly string[]): string[] {
  const differences = differencesBetween({ ...record.facts }, node);
  if (!states.includes(node.state)) differences.push(tell('state', states, node.state));
  const beatMs = epochMsOf(mustParseTimestamp(node.lastHeartbeat));
  if (run.server.isLocal && beatMs < Math.floor(record.lastBeatWallMs) - BEAT_AGE_MS) {
    differences.push(tell('lastHeartbeat', new Date(record.lastBeatWallMs).toISOString(), node.lastHeartbeat));
  }
  return differences.map((text) => `${record.life.id} ${text}`);
}

function isUp({ standing }: NodeRecord): boolean {
  return standing === 'running' || standing === 'silent';
}
