/** What the events of a job can be restricted to, and how they are shown: names that the address has. */

export const EVENT_KINDS = ['problems', 'checkpoints', 'restores', 'volumes'] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** The first is shown where none is chosen. */
export const EVENT_VIEWS = ['grouped', 'all', 'raw'] as const;
export type EventView = (typeof EVENT_VIEWS)[number];
