/** The nodes that a search of jobs may mean: a job names its node by instance id, a list by the node's own. Pure. */

import type { NamedNode } from '../queries/nodes.ts';
import { hostLabel } from './host-label.ts';

/** More are not named. */
const NODES_MAX = 5;

export interface NodesNamed {
  /** The one whose name, as lists show it, is the whole text. */
  readonly whole: string | undefined;
  /** Those that have the text in their name; empty where they are too many to be named. */
  readonly some: readonly string[];
  /** How many they are. */
  readonly count: number;
}

const NONE: NodesNamed = { whole: undefined, some: [], count: 0 };

/** `names`: nodes by their ids and by their instance ids. */
export function nodesNamed(names: ReadonlyMap<string, NamedNode> | undefined, q: string | undefined): NodesNamed {
  const text = q?.trim().toLowerCase() ?? '';
  if (text === '' || names === undefined) return NONE;
  const ids = new Set<string>();
  // What stands in the jobs themselves the server finds.
  for (const [oid, { id }] of names) if (oid !== id && id.toLowerCase().includes(text)) ids.add(id);
  const whole = [...ids].filter((id) => [id, hostLabel(id)].some((name) => name.toLowerCase() === text));
  if (whole.length === 1) return { whole: whole[0], some: [], count: 1 };
  return { whole: undefined, some: ids.size > NODES_MAX ? [] : [...ids].sort(), count: ids.size };
}
