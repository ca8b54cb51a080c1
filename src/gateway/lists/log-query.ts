/** What a log route is asked for beside the file: the last lines, lines with a text, what comes (contract section 7). */
import { CodedError } from '../../base/errors.ts';
import { idSchema } from '../../protocol/id.ts';

export interface LogQuery {
  /** Last lines; null for all. */
  readonly tail: number | null;
  readonly follow: boolean;
  /** Only lines that contain it, byte for byte; null for all. */
  readonly q: string | null;
  /** Following ends with this job too. */
  readonly job: string | null;
}

const TEXT_LENGTH_MAX = 1_024;

/** Throws `invalid` with a reason for every bad parameter. */
export function logQueryOf(query: URLSearchParams): LogQuery {
  const faults: Record<string, string> = {};
  const tail = query.get('tail');
  if (tail !== null && !/^\d{1,15}$/.test(tail)) faults['tail'] = 'is not a whole number of lines';
  const follow = query.get('follow');
  if (follow !== null && follow !== 'true' && follow !== 'false') faults['follow'] = 'is neither true nor false';
  const q = query.get('q');
  if (q?.includes('\n')) faults['q'] = 'has a line break';
  if (q !== null && q.length > TEXT_LENGTH_MAX) faults['q'] = `has more than ${TEXT_LENGTH_MAX} characters`;
  const job = query.get('job');
  if (job !== null && !idSchema.safeParse(job).success) faults['job'] = 'is not a job id';
  if (Object.keys(faults).length > 0) throw new CodedError('invalid', undefined, faults);
  return { tail: tail === null ? null : Number(tail), follow: follow === 'true', q: q || null, job };
}
