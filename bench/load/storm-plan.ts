/** What a process of storm clients is told and what it tells. */

export interface StormPlan {
  readonly host: string;
  readonly port: number;
  /** Node numbers of its clients. */
  readonly first: number;
  readonly clients: number;
}

export type ToStorm =
  | { readonly type: 'plan'; readonly plan: StormPlan }
  /** Every client connects at once and registers; with `resume` it offers the session of its last connection. */
  | { readonly type: 'storm'; readonly resume: boolean }
  /** Every client cuts its connection. */
  | { readonly type: 'drop' };

export type FromStorm =
  | { readonly type: 'ready' }
  | { readonly type: 'dropped' }
  | { readonly type: 'back'; readonly result: StormResult };

export interface StormResult {
  /** Milliseconds from the word to the 200, each client's. */
  readonly backMs: readonly number[];
  /** Connections that broke before the 200 and were tried again. */
  readonly broken: number;
  /** Handshakes of clients that are back that resumed a session. */
  readonly resumed: number;
  readonly statuses: Readonly<Record<string, number>>;
}
