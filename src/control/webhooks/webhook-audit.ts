/** What the audit log keeps of a webhook that was made or changed. Pure. */
import type { StoredWebhook } from '../../store/records/webhook-record.ts';

type Facts = Pick<StoredWebhook, 'url' | 'types' | 'queue' | 'job' | 'node' | 'eventTypes' | 'format' | 'secret'> & {
  readonly isPaused?: boolean;
};

/**
 * `change`: made, paused, resumed or changed; `changes`: by field, with its old and its new value. Of an address only the origin is
 * kept, as what follows may be a secret.
 */
export function auditDetailOf(webhook: Facts, known: Facts | undefined): Readonly<Record<string, unknown>> {
  const isPaused = webhook.isPaused === true;
  const told = toldOf(webhook);
  if (known === undefined) {
    const { target, types } = told;
    return { change: 'made', target, types, ...(isPaused ? { paused: 'true' } : {}) };
  }
  const before = toldOf(known);
  const changes = Object.fromEntries(
    Object.entries(told)
      .filter(([name, value]) => value !== before[name])
      .map(([name, value]) => [name, { old: before[name], new: value }]),
  );
  const others = {
    ...(webhook.url !== known.url && told['target'] === before['target'] ? { path: 'another' } : {}),
    ...(webhook.secret !== known.secret ? { secret: 'another' } : {}),
  };
  const wasPaused = known.isPaused === true;
  const isOther = Object.keys(changes).length + Object.keys(others).length > 0;
  const paused = isPaused === wasPaused ? undefined : isPaused ? 'paused' : 'resumed';
  return {
    change: isOther ? 'changed' : (paused ?? 'changed'),
    ...(isOther && paused ? { paused: String(isPaused) } : {}),
    ...(Object.keys(changes).length > 0 ? { changes } : {}),
    ...others,
  };
}

function toldOf({ url, types, queue, job, node, eventTypes, format }: Facts): Record<string, string> {
  return {
    target: new URL(url).origin,
    types: types.join(' '),
    queue: queue ?? '',
    job: job ?? '',
    node: node ?? '',
    eventTypes: eventTypes?.join(' ') ?? '',
    format,
  };
}
