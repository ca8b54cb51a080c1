/** The query of `GET /api/v1/reclaim`, checked. */
import { parameter, textParameter } from '../../protocol/lists/parameter.ts';
import { timestampSchema } from '../../protocol/node.ts';
import { epochMsFrom } from '../../protocol/timestamp.ts';
import type { ReclaimListTask } from '../../workers/task/reclaim-task.ts';
import { ListParameters, limitParameter } from './parameters.ts';

const DAY_MS = 86_400_000;
const LIMIT_DEFAULT = 100;

export const RECLAIM_PARAMETERS = {
  start: parameter(
    'Only nodes whose last heartbeat was at or after this time; defaults to 24 hours before the end',
    timestampSchema,
    '2026-01-31T00:00:00Z',
  ),
  end: parameter(
    'Only nodes whose last heartbeat was before this time; defaults to now',
    timestampSchema,
    '2026-02-01T00:00:00Z',
  ),
  node: textParameter('Only this node, by id or instance id', 'node-1'),
  limit: limitParameter('Reclaims listed, 1 to 10,000, the newest first; defaults to 100. The totals are of all'),
} as const;

/** Throws `invalid` with every fault. */
export function reclaimRequestOf(
  sent: URLSearchParams,
  nowMs: number,
): Pick<ReclaimListTask, 'fromMs' | 'toMs' | 'node' | 'limit'> {
  const parameters = new ListParameters(sent, Object.keys(RECLAIM_PARAMETERS));
  // Up to and with the millisecond that is.
  const end = parameters.time('end');
  const toMs = end === undefined ? nowMs + 1 : epochMsFrom(end);
  const start = parameters.time('start');
  const fromMs = start === undefined ? toMs - DAY_MS : epochMsFrom(start);
  if (fromMs > toMs) parameters.fault('start', 'is after end');
  const node = parameters.word('node') ?? null;
  const limit = parameters.limit() ?? LIMIT_DEFAULT;
  parameters.mustBeFaultless();
  return { fromMs, toMs, node, limit };
}
