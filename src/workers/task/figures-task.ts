/** What `/metrics` asks the pool about jobs and about nodes that have ended. */

/** → jobs by queue and status, with the first stretch; and what `limit` running ones behind a row of an index would lose at `nowMs`. */
export interface JobFiguresTask {
  readonly type: 'jobFigures';
  readonly afterKey: Uint8Array | null;
  readonly limit: number;
  readonly nowMs: number;
}

export interface QueueFigures {
  readonly queue: string;
  readonly statuses: readonly (readonly [status: string, count: number])[];
  /** Jobs that run, what they would lose, and when the oldest of their last good checkpoints (or starts) was. */
  readonly running: number;
  /** Of them, those that lose one more second with each second that passes: neither stranded nor ended before their last event. */
  readonly growing: number;
  readonly atRiskSeconds: number;
  /** What the loss of their nodes would cost now, and how many of them lose one more second with each that passes. */
  readonly unsavedSeconds: number;
  readonly unsavedGrowing: number;
  readonly oldestMs: number | null;
}

export interface JobFigures {
  readonly queues: readonly QueueFigures[];
  /** Where to go on; null at the end. */
  readonly nextKey: Uint8Array | null;
}

/** → lost and deregistered nodes by pay type, `limit` of them behind a key of table `nodeEnded`. */
export interface EndedNodeFiguresTask {
  readonly type: 'endedNodeFigures';
  readonly afterKey: Uint8Array | null;
  readonly limit: number;
}

export interface EndedNodeFigures {
  readonly nodes: readonly (readonly [state: 'alive' | 'lost' | 'deregistered', payType: string, count: number])[];
  readonly nextKey: Uint8Array | null;
}
