/**
 * Which node has an instance. Jobs name the instance that they run on, and a node token is good for its own node's, so an
 * instance belongs to one living node: the table `nodeByOid` says which registered it last.
 *
 * What is not on disk yet is not seen here: nodes that register one instance at the same moment are kept apart before, by
 * `control/instance-reservations.ts`.
 */
import type { NodeFacts } from '../../protocol/node.ts';
import { textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import {
  decodeNodeRecord,
  encodeNodePrice,
  nodePriceOf,
  oidKey,
  oidsOf,
  readNodePrice,
} from '../../store/records/node-record.ts';
import type { Write } from '../runtime/behaviour.ts';

/** Whether another node that lives (late ones do) has one of the names that this one would have. */
export function isTaken(facts: NodeFacts, reader: Reader): boolean {
  return oidsOf(facts).some((oid) => {
    const nodeId = readNodePrice(reader, oid)?.nodeId;
    if (nodeId === undefined || nodeId === facts.id) return false;
    const bytes = reader.get('node', textKey(nodeId));
    const record = bytes && decodeNodeRecord(bytes);
    // It may have changed its instance since.
    return record?.state === 'alive' && hasName(JSON.parse(record.factsJson) as NodeFacts, oid);
  });
}

/** Names that lead to this node; names that were registered again under another id are left out. */
export function ownOids(facts: NodeFacts, reader: Reader): string[] {
  return oidsOf(facts).filter((oid) => readNodePrice(reader, oid)?.nodeId === facts.id);
}

/** The rows by which jobs find the node and its prices. */
export function oidWrites(facts: NodeFacts): Write[] {
  const price = encodeNodePrice(nodePriceOf(facts));
  return oidsOf(facts).map((oid) => ({ table: 'nodeByOid', key: oidKey(oid), value: price }));
}

function hasName(facts: NodeFacts, oid: string): boolean {
  const key = Buffer.from(oidKey(oid));
  return oidsOf(facts).some((name) => key.equals(oidKey(name)));
}
