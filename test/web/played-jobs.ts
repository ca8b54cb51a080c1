/** Jobs that the dashboard is shown, by how many minutes ago what happened. */

export const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** Placed on instance `i-here` a minute before it began. */
export const playedJob = (
  id: string,
  queueName: string,
  began: number,
  ...events: [eventType: string, minutes: number, detail?: string][]
): object => ({
  id,
  queueName,
  events: [
    { eventType: 'Job-Creating', timestamp: ago(began + 1), nodeOid: 'i-here', containerId: 'c' },
    { eventType: 'Job-Running', timestamp: ago(began) },
    ...events.map(([eventType, minutes, detail]) => ({
      eventType,
      timestamp: ago(minutes),
      ...(detail && { detail }),
    })),
  ],
});
