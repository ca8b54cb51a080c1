/** What the audit log keeps of a webhook that was made or changed. Pure. */

import type { StoredWebhook } from '../../store/records/webhook-record.ts';
import { changesOf, shortened } from '../audit-log.ts';

type Facts = Pick<StoredWebhook, 'url' | 'types' | 'queue' | 'job' | 'node' | 'eventTypes' | 'format' | 'secret'> & {
  readonly isPaused?: boolean;
};

/**
 * `change`: made, paused, resumed or changed; `changes`: by field, with its old and its new value. Of an address only the origin is
 * kept, as what follows may be a secret, and of a long value the beginning.
 */
export function auditDetailOf(webhook: Facts, known: Facts | undefined): Readonly<Record<string, unknown>> {
  const isPaused = webhook.isPaused === true;
  const told = toldOf(webhook);
  if (known === undefined) {
    // What it has not says nothing, nor does the usual format.
    const isTold = ([name, value]: [string, string]): boolean =>
      value !== '' && !(name === 'format' && value === 'cairn');
    const first = [...told].filter(isTold).map(([name, value]) => [name, shortened(value)]);
    return { change: 'made', ...Object.fromEntries(first), ...(isPaused ? { paused: 'true' } : {}) };
  }
  const before = toldOf(known);
  const changed = [...told.keys()].filter((name) => told.get(name) !== before.get(name));
  const others = {
    ...(webhook.url !== known.url && !changed.includes('target') ? { path: 'another' } : {}),
    ...(webhook.secret !== known.secret ? { secret: 'another' } : {}),
  };
  const wasPaused = known.isPaused === true;
  const isOther = changed.length + Object.keys(others).length > 0;
  const paused = isPaused === wasPaused ? undefined : isPaused ? 'paused' : 'resumed';
  return {
    change: isOther ? 'changed' : (paused ?? 'changed'),
    ...(isOther && paused ? { paused: String(isPaused) } : {}),
    ...(changed.length > 0 ? { changes: changesOf(changed, before, told) } : {}),
    ...others,
  };
}

function toldOf({ url, types, queue, job, node, eventTypes, format }: Facts): ReadonlyMap<string, string> {
  return new Map([
    ['target', new URL(url).origin],
    // In which order they were chosen is no change.
    ['types', types.toSorted().join(' ')],
    ['queue', queue ?? ''],
    ['job', job ?? ''],
    ['node', node ?? ''],
    ['eventTypes', eventTypes?.toSorted().join(' ') ?? ''],
    ['format', format],
  ]);
}
