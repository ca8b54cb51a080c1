/** Which form a caller wants points in: `format=`, or else the `Accept` header, or else JSON. */
import { SERIES_FORMATS, type SeriesFormat } from '../../workers/task/task.ts';
import type { HttpExchange } from '../http/exchange.ts';
import { acceptedFormat } from '../lists/parameters.ts';

export const SERIES_TYPES: Readonly<Record<SeriesFormat, string>> = {
  json: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** Adds to `fields` where `format=` names no form. */
export function formatOf(exchange: HttpExchange, fields: Record<string, string>): SeriesFormat {
  const asked = exchange.query.get('format');
  if (asked !== null) {
    const format = SERIES_FORMATS.find((name) => name === asked);
    if (!format) fields['format'] = `is not one of ${SERIES_FORMATS.join(', ')}`;
    return format ?? 'json';
  }
  return acceptedFormat(exchange.headers.accept);
}
