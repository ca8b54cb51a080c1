/** From when on a log has lines, where that limits what is found: what was before is in other files, or gone. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { momentText } from '../range/moment-text.ts';
import { beginOfLog, isOwn } from './seek-log.ts';

interface LogBeginProps {
  readonly path: string;
  /** What was asked for, which a log that was rotated meanwhile answers otherwise. */
  readonly question: string;
  /** Milliseconds since 1970: from when on lines are wanted; NaN where they are searched for in all of the log. */
  readonly wantedMs: number;
}

export function LogBegin({ path, question, wantedMs }: LogBeginProps): ReactNode {
  const zone = usePreference(timeZone);
  const { data: beginMs = null } = useQuery({
    queryKey: ['logs', 'begin', path, question],
    queryFn: async ({ signal }) => (await beginOfLog(path, signal)) ?? null,
  });
  if (beginMs === null) return null;
  const begin = momentText(beginMs, zone);
  if (Number.isNaN(wantedMs)) return ` · searched from ${begin} on`;
  if (beginMs <= wantedMs) return null;
  const older = isOwn(path) ? `in ${path.slice(1)}.1, in the log folder of the server` : 'no longer kept';
  return ` · the log begins at ${begin}; what was before is ${older}`;
}
