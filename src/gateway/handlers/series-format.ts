/** Which form a caller wants points in: `format=`, or else the `Accept` header, or else JSON. */
import { SUMMARY_FORMATS, type SummaryFormat } from '../../protocol/metric.ts';
import { SERIES_FORMATS, type SeriesFormat } from '../../workers/task/task.ts';
import type { HttpExchange } from '../http/exchange.ts';
import { acceptedFormat } from '../lists/parameters.ts';

export const SERIES_TYPES: Readonly<Record<SummaryFormat, string>> = {
  json: 'application/json; charset=utf-8',
  columns: 'application/json; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
};

/** Adds to `fields` where `format=` names no form. */
export function formatOf(exchange: HttpExchange, fields: Record<string, string>): SeriesFormat {
  return oneOf(SERIES_FORMATS, exchange, fields) ?? acceptedFormat(exchange.headers.accept);
}

/** As `formatOf`, of a summary, which has one form more. */
export function summaryFormatOf(exchange: HttpExchange, fields: Record<string, string>): SummaryFormat {
  return oneOf(SUMMARY_FORMATS, exchange, fields) ?? acceptedFormat(exchange.headers.accept);
}

function oneOf<T extends string>(
  formats: readonly T[],
  { query }: HttpExchange,
  fields: Record<string, string>,
): T | undefined {
  const asked = query.get('format');
  if (asked === null) return undefined;
  const format = formats.find((name) => name === asked);
  if (!format) fields['format'] = `is not one of ${formats.join(', ')}`;
  return format;
}
