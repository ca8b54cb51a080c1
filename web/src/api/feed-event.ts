/** An event of the stream, as pages keep it. */
export interface FeedEvent {
  readonly position: string;
  readonly name: string;
  /** What the event's name says; see docs/reference/events.md. */
  readonly data: Readonly<Record<string, unknown>>;
}
