/**
 * The nodes that a search of jobs means by their names: a job names its node by the cloud's instance id, people by the id that
 * the node gave itself. Remembers the last text of each reader, because a search asks again in every slice.
 */
import { isDamaged } from '../../store/kv/checksum.ts';
import { afterPrefix } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { jobIndexPrefix } from '../../store/records/job-index.ts';
import { decodeNodePrice } from '../../store/records/node-record.ts';

/** Bounded by the nodes that are stored. */
export interface NamedNodes {
  /** Instance ids that do not have the text themselves, of nodes whose ids have it. */
  readonly oids: readonly string[];
  /** The same in lower case. */
  readonly lowerCase: ReadonlySet<string>;
}

interface Asked extends NamedNodes {
  readonly q: string;
  /** Of the table of instance ids. */
  readonly version: number;
}

const asked = new WeakMap<Reader, Asked>();

/** `q`: in lower case. Of the state of the store that the reader is at. */
export function nodesNamed(reader: Reader, q: string): NamedNodes {
  const version = reader.version('nodeByOid');
  const known = asked.get(reader);
  if (known && known.q === q && known.version === version) return known;
  const oids: string[] = [];
  for (const { key, value } of reader.range('nodeByOid')) {
    const oid = Buffer.from(key).toString('utf8');
    // A damaged row tells no name; who asks for the node itself is told of it.
    if (oid.toLowerCase().includes(q) || isDamaged(value)) continue;
    if (decodeNodePrice(value).nodeId.toLowerCase().includes(q)) oids.push(oid);
  }
  const found = { q, version, oids, lowerCase: new Set(oids.map((oid) => oid.toLowerCase())) };
  asked.set(reader, found);
  return found;
}

/** How the rows, in the order of createdAt, of jobs on these nodes end; undefined where there are more than `max` nodes or jobs. */
export function endingsOnNamed(reader: Reader, q: string, max: number): Uint8Array[] | undefined {
  const { oids } = nodesNamed(reader, q);
  if (oids.length > max) return undefined;
  const endings: Uint8Array[] = [];
  for (const oid of oids) {
    const prefix = jobIndexPrefix('node', oid);
    const end = afterPrefix(prefix);
    const range = { start: prefix, ...(end ? { end } : {}), limit: max + 1, keysOnly: true };
    for (const { key } of reader.range('jobIndex', range)) endings.push(key.subarray(prefix.length));
    if (endings.length > max) return undefined;
  }
  return endings;
}
