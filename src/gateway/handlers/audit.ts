/** The audit log, a page at a time. */
import { CodedError } from '../../base/errors.ts';
import { readAudit } from '../../store/records/audit-record.ts';
import type { Handler } from './handler.ts';

const LIMIT_DEFAULT = 100;
const LIMIT_MAX = 1_000;

export const getAudit: Handler = ({ exchange }, { host }) => {
  const limit = countIn(exchange.query, 'limit', LIMIT_MAX) ?? LIMIT_DEFAULT;
  const before = countIn(exchange.query, 'before', Number.MAX_SAFE_INTEGER);
  host.reader.refresh();
  const records = readAudit(host.reader, before, limit);
  const last = records.at(-1);
  const next =
    last && last.seq > 1 && records.length === limit ? `/api/v1/audit?limit=${limit}&before=${last.seq}` : undefined;
  exchange.json(200, records, next ? [['link', `<${next}>; rel="next"`]] : []);
};

function countIn(query: URLSearchParams, name: string, max: number): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const count = Number(text);
  if (/^\d{1,16}$/.test(text) && count >= 1 && count <= max) return count;
  throw new CodedError('invalid', undefined, { [name]: `is not a whole number from 1 to ${max}` });
}
