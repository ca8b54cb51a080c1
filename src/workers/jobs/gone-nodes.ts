/** The phases of jobs, of which `stranded` depends on their nodes. Remembers nodes: of one answer, not longer. */
import { type Phase, phaseOf } from '../../protocol/phase.ts';
import type { Reader } from '../../store/kv/store.ts';
import { isNodeGone } from '../../store/records/node-record.ts';

/** Nodes that are remembered. Overflow policy: forget all, and look again. */
const NODES_MAX = 100_000;

export class GoneNodes {
  readonly #reader: Reader;
  readonly #goneByOid = new Map<string, boolean>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  phaseOf({ status, nodeOid }: { readonly status: string; readonly nodeOid: string }): Phase {
    return phaseOf(status, () => this.isGone(nodeOid));
  }

  /** Whether the node is lost, deregistered or not known; the node of a job that never had one is not. */
  isGone(nodeOid: string): boolean {
    const known = this.#goneByOid.get(nodeOid);
    if (known !== undefined) return known;
    const gone = isNodeGone(this.#reader, nodeOid);
    if (this.#goneByOid.size >= NODES_MAX) this.#goneByOid.clear();
    this.#goneByOid.set(nodeOid, gone);
    return gone;
  }
}
