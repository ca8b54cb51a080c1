/** What a run counts while it goes: for the progress line, the report, and the verdict. */
import { LatencyHistogram } from '../wire/latency.ts';
import { GaveUp, Refused, type WireTally } from '../wire/persist.ts';

/** Texts of faults that are kept for the report; all of them are counted. */
const FAULTS_SHOWN_MAX = 20;

export class RunStats {
  readonly wire: WireTally = { failures: 0, retries: 0, latency: new LatencyHistogram() };
  beats = 0;
  /** Of those, the ones that a WebSocket brought; and WebSockets that were opened. */
  socketBeats = 0;
  sockets = 0;
  /** Job calls that were acknowledged, and the events in them. */
  jobCalls = 0;
  events = 0;
  samples = 0;
  logBytes = 0;
  registrations = 0;
  deregistrations = 0;
  /** Calls with an unknown outcome that may not be repeated. */
  doubtful = 0;
  /** Calls that were never acknowledged, or refused. */
  unrecovered = 0;
  /** Answers that no correct server gives. */
  faults = 0;
  readonly shown: string[] = [];

  fault(what: string): void {
    this.faults++;
    this.#show(what);
  }

  /** Counts a call that ended without success; anything but that is a bug of the fleet's own and is thrown on. */
  lose(error: unknown): void {
    if (!(error instanceof Refused) && !(error instanceof GaveUp)) throw error;
    this.unrecovered++;
    this.#show(error.message);
  }

  #show(what: string): void {
    if (this.shown.length < FAULTS_SHOWN_MAX) this.shown.push(what);
  }
}
