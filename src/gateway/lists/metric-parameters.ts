/** The query of `GET /api/v1/metric`, checked. */

import { textParameter } from '../../protocol/lists/parameter.ts';
import { shortNameOf } from '../../protocol/metric.ts';
import type { MetricFilter } from '../../workers/task/task.ts';
import { CURSOR_PARAMETER, ListParameters, limitParameter } from './parameters.ts';

export const METRIC_PARAMETERS = {
  limit: limitParameter('Entries per page, 1 to 10,000; the Link header names the next page. Defaults to all entries'),
  cursor: CURSOR_PARAMETER,
  object: textParameter(
    'Only series of this object: system-total, queue-<name>, node-<id>, or a custom object',
    'system-total',
  ),
  definition: textParameter(
    'Only series of this metric definition, with or without the prefix metricDef-',
    'metricDef-jobSubmitted',
  ),
  q: textParameter('Only series whose name, id or description contains every word of this text, ignoring case', 'jobs'),
} as const;

export interface MetricListRequest {
  readonly filter: MetricFilter;
  readonly limit: number | null;
  readonly after: Uint8Array | null;
  /** What a cursor of this list is sealed to. */
  readonly scope: string;
}

/** Throws `invalid` with every fault. */
export function metricListRequestOf(sent: URLSearchParams): MetricListRequest {
  const parameters = new ListParameters(sent, Object.keys(METRIC_PARAMETERS));
  const objectId = parameters.word('object');
  const definition = parameters.word('definition');
  const words = (parameters.search() ?? '').split(/\s+/).filter((word) => word !== '');
  const metric = definition === undefined ? undefined : shortNameOf(definition);
  const filter: MetricFilter = {
    ...(objectId === undefined ? {} : { objectId }),
    ...(metric === undefined ? {} : { metric }),
    words,
  };
  const scope = JSON.stringify(['metric', objectId ?? null, metric ?? null, words]);
  const after = parameters.position(scope);
  const limit = parameters.limit();
  parameters.mustBeFaultless();
  return { filter, limit, after, scope };
}
