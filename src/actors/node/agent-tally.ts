/** What nodes that run say of their agents, for `cairn doctor`: versions that are older than the server's, and clocks. */
import { CLOCK_DIFFERENCE_MS_MAX, isOlder } from '../../protocol/explain/explain-node.ts';
import type { NodeFacts } from '../../protocol/node.ts';
import type { RunningNode } from './node-tally.ts';

/** About 3 ms: the facts of each are parsed. */
const SLICE = 1_000;
/** Versions that are named. */
const VERSIONS_MAX = 5;

export interface AgentCounts {
  readonly old: number;
  readonly versions: readonly string[];
  /** Nodes that told their clock, and how many of them are ahead of the server's or behind it. */
  readonly clocks: { readonly known: number; readonly ahead: number; readonly behind: number };
}

/** `turn` resolves when the event loop has had a turn. */
export async function countAgents(
  nodes: Iterable<RunningNode | null>,
  version: string,
  turn: () => Promise<void>,
): Promise<AgentCounts> {
  let old = 0;
  let looked = 0;
  const versions = new Set<string>();
  const clocks = { known: 0, ahead: 0, behind: 0 };
  for (const node of nodes) {
    if (++looked % SLICE === 0) await turn();
    if (!node) continue;
    const { agent } = JSON.parse(node.factsJson) as NodeFacts;
    if (agent?.version !== undefined && isOlder(agent.version, version)) {
      old++;
      if (versions.size < VERSIONS_MAX) versions.add(agent.version);
    }
    const differenceMs = agent?.clockDifferenceMs;
    if (differenceMs === undefined) continue;
    clocks.known++;
    if (differenceMs > CLOCK_DIFFERENCE_MS_MAX) clocks.ahead++;
    if (differenceMs < -CLOCK_DIFFERENCE_MS_MAX) clocks.behind++;
  }
  return { old, versions: [...versions], clocks };
}

export function addAgents(parts: readonly AgentCounts[]): AgentCounts {
  const sum = (of: (part: AgentCounts) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    old: sum(({ old }) => old),
    versions: [...new Set(parts.flatMap(({ versions }) => versions))].slice(0, VERSIONS_MAX),
    clocks: {
      known: sum(({ clocks }) => clocks.known),
      ahead: sum(({ clocks }) => clocks.ahead),
      behind: sum(({ clocks }) => clocks.behind),
    },
  };
}
