/**
 * What the auditor of `npm run proof` holds against a server. Each kind of fact is written by one client at a time, and
 * knows for certain what was acknowledged, and of the one call that was broken off, both ways it may have ended.
 */
import type { Answer, Api } from '../../support/api.ts';
import { BrokenPromise } from '../machine.ts';

export interface Facts {
  readonly name: string;
  /** Facts that were acknowledged so far. */
  readonly acknowledged: number;
  /** What the server must know before the first step. */
  begin?(api: Api): Promise<void>;
  /** One call. Throws where the connection breaks. */
  step(api: Api): Promise<void>;
  /** What the server does not have as it was acknowledged. */
  audit(api: Api): Promise<string[]>;
}

/** Refusals that every client must expect under faults; whether anything was taken is not said by 500. */
export const REFUSALS: ReadonlySet<number> = new Set([429, 500, 503, 507]);

/** Whether it was taken. Throws for an answer that the call must never get. */
export function isTaken(answer: Answer, what: string): boolean {
  if (answer.status === 200) return true;
  if (REFUSALS.has(answer.status)) return false;
  throw new BrokenPromise(`${what} answered ${answer.status} ${answer.text.slice(0, 300)}`);
}

/** A value that one client sets over and over: what it must be now. */
export class Register<T> {
  #known: T | undefined;
  #doubtful: T[] = [];
  acknowledged = 0;

  begin(value: T): void {
    this.#doubtful.push(value);
  }

  acknowledge(value: T): void {
    this.#known = value;
    this.#doubtful = [];
    this.acknowledged++;
  }

  /** Undefined where the value may be there; else what it must be. From then on the value is known. */
  fault(seen: T | undefined): string | undefined {
    const allowed = [this.#known, ...this.#doubtful];
    if (!allowed.includes(seen)) return `is ${String(seen)}, must be ${allowed.map(String).join(' or ')}`;
    this.#known = seen;
    this.#doubtful = [];
    return undefined;
  }
}
