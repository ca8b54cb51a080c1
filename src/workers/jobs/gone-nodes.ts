/** The phases of jobs, of which `stranded` depends on their nodes. Remembers nodes: of one answer, not longer. */
import { type Phase, phaseOf } from '../../protocol/phase.ts';
import type { Reader } from '../../store/kv/store.ts';
import { type NodeFate, nodeFateOf } from '../../store/records/node-record.ts';

/** Nodes that are remembered. Overflow policy: forget all, and look again. */
const NODES_MAX = 100_000;

export class GoneNodes {
  readonly #reader: Reader;
  readonly #fateByOid = new Map<string, NodeFate>();

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  phaseOf({ status, nodeOid }: { readonly status: string; readonly nodeOid: string }): Phase {
    return phaseOf(status, () => this.isGone(nodeOid));
  }

  /** Whether the node is lost, deregistered or not known; the node of a job that never had one is not. */
  isGone(nodeOid: string): boolean {
    return this.fateOf(nodeOid).isGone;
  }

  fateOf(nodeOid: string): NodeFate {
    const known = this.#fateByOid.get(nodeOid);
    if (known !== undefined) return known;
    const fate = nodeFateOf(this.#reader, nodeOid);
    if (this.#fateByOid.size >= NODES_MAX) this.#fateByOid.clear();
    this.#fateByOid.set(nodeOid, fate);
    return fate;
  }
}
