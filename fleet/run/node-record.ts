/** What the fleet knows that the server knows of one node: facts, state, beats, logs. Changed by acknowledgements only. */
import type { NodeFacts } from '../../src/protocol/node.ts';
import { SampleLedger } from '../model/sample-ledger.ts';
import type { NodeLife } from '../plan/node-plan.ts';

/** `departed` said goodbye; `silent` only stopped beating; `unsure` had a change that was never acknowledged. */
export type NodeStanding = 'unregistered' | 'running' | 'silent' | 'departed' | 'unsure';

export interface LogRecord {
  /** Whole pieces that the server has. */
  pieces: number;
  size: number;
}

export class NodeRecord {
  readonly life: NodeLife;
  standing: NodeStanding = 'unregistered';
  /** As last acknowledged. */
  facts: NodeFacts | undefined;
  /** When the last acknowledged beat was sent, on the monotonic and on the wall clock. */
  lastBeatMs = 0;
  lastBeatWallMs = 0;
  readonly logs = new Map<string, LogRecord>();
  /** By metric; undefined for nodes beyond those that the fleet keeps samples of. */
  readonly ledgers: Map<string, SampleLedger> | undefined;
  readonly registered: Promise<void>;
  #signalRegistered: () => void = () => {};

  constructor(life: NodeLife, keepsSamples: boolean) {
    this.life = life;
    this.ledgers = keepsSamples ? new Map() : undefined;
    this.registered = new Promise((resolve) => {
      this.#signalRegistered = resolve;
    });
  }

  acknowledgeFacts(facts: NodeFacts, sentMs: number): void {
    this.facts = facts;
    this.standing = 'running';
    this.acknowledgeBeat(sentMs);
    this.#signalRegistered();
  }

  acknowledgeBeat(sentMs: number): void {
    this.lastBeatMs = sentMs;
    this.lastBeatWallMs = Date.now() - (performance.now() - sentMs);
  }

  ledgerOf(metric: string): SampleLedger | undefined {
    if (!this.ledgers) return undefined;
    const known = this.ledgers.get(metric);
    if (known) return known;
    const ledger = new SampleLedger();
    this.ledgers.set(metric, ledger);
    return ledger;
  }
}
