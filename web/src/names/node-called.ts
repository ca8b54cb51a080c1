/** The node that a search of jobs means, where it is the whole name of one. Pure. */

import type { NamedNode } from '../queries/nodes.ts';
import { hostLabel } from './host-label.ts';

/** `names`: nodes by their ids and by their instance ids. Undefined where none is called so, or several are. */
export function nodeCalled(
  names: ReadonlyMap<string, NamedNode> | undefined,
  q: string | undefined,
): string | undefined {
  const text = q?.trim().toLowerCase() ?? '';
  if (text === '' || names === undefined) return undefined;
  const ids = new Set<string>();
  // A job that names its node so has the text itself, and the server finds it.
  for (const [oid, { id }] of names)
    if (oid !== id && [id, hostLabel(id)].some((name) => name.toLowerCase() === text)) ids.add(id);
  return ids.size === 1 ? [...ids][0] : undefined;
}
