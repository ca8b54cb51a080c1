/** First on the page: what needs somebody's attention, or that nothing does. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { failedSinceQuery, singleJobQuery } from '../../api/failed-jobs.ts';
import {
  checkpointingQuery,
  doctorQuery,
  jobCountQuery,
  lateNodesQuery,
  liveStatusesQuery,
  lostSinceQuery,
  readinessQuery,
  runningNodesQuery,
} from '../../api/queries.ts';
import { ApiError } from '../../api/request.ts';
import { useNowMs } from '../../parts/clock.ts';
import { countText, unbroken } from '../../parts/format.ts';
import { useSettled } from '../../parts/settled.ts';
import { isAsking } from '../../parts/states.tsx';
import { type AttentionRow, attentionRows, FAILURES, type SingleJob } from './attention.ts';

const MINUTE_MS = 60_000;

/** Each by what it is asked for; the doctor, who takes his time and seldom adds a row, stands apart. */
function useAsked() {
  return {
    readiness: useQuery(readinessQuery),
    counts: useQuery(jobCountQuery({})),
    statuses: useQuery(liveStatusesQuery),
    checkpointing: useQuery(checkpointingQuery),
    late: useQuery(lateNodesQuery),
    lost: useQuery(lostSinceQuery),
    failed: useQuery(failedSinceQuery),
  };
}

/** What each of them is about, in words. */
const ABOUT: Readonly<Record<keyof ReturnType<typeof useAsked>, string>> = {
  readiness: 'the server',
  counts: 'jobs',
  statuses: 'jobs',
  lost: 'nodes',
  failed: 'jobs',
  checkpointing: 'checkpoints',
  late: 'nodes',
};

/** A job that is alone in a status is named; it is asked for only then. */
function useSingles(counts: Readonly<Record<string, number>>): Readonly<Record<string, SingleJob>> {
  const single = FAILURES.filter(({ status }) => counts[status] === 1);
  return useQueries({
    queries: single.map(({ phase, status }) => singleJobQuery(phase, status)),
    combine: (answers) =>
      Object.fromEntries(single.flatMap(({ status }, i) => (answers[i]?.data ? [[status, answers[i].data]] : []))),
  });
}

export function AttentionList(): ReactNode {
  const asked = useAsked();
  const { readiness, counts, statuses, checkpointing, late, lost, failed } = asked;
  const running = useQuery(runningNodesQuery);
  const doctor = useQuery({ ...doctorQuery, retry: false });
  const singles = useSingles(statuses.data?.counts ?? {});
  const nowMs = useNowMs(MINUTE_MS);
  const isHidden = doctor.error instanceof ApiError && doctor.error.status === 403;
  const parts = [
    ...Object.entries(ABOUT).map(([name, what]) => [asked[name as keyof typeof ABOUT], what] as const),
    ...(isHidden ? [] : [[doctor, 'the server’s health'] as const]),
  ];
  // The answer of before still stands for what it was asked.
  const missing = [...new Set(parts.filter(([{ data }]) => data === undefined).map(([, what]) => what))];
  const isPending = parts.some(([{ data, isPending, isPaused }]) => data === undefined && isPending && !isPaused);
  const rows = attentionRows({
    reasons: readiness.data?.reasons ?? [],
    stranded: counts.data?.counts['stranded'] ?? 0,
    late: late.data?.length ?? 0,
    running: running.data ?? 0,
    lost: lost.data ?? 0,
    failed: failed.data ?? { jobs: [], hasMore: false },
    statuses: statuses.data?.counts ?? {},
    singles,
    checkpointing: checkpointing.data ?? [],
    findings: doctor.data?.findings ?? [],
    nowMs,
  });
  return (
    <section className="attention" aria-labelledby="attention">
      <h2 id="attention">
        Needs attention {rows.length > 0 ? <span className="tab-count">{countText(rows.length)}</span> : null}
      </h2>
      {rows.length > 0 ? (
        <ul>
          {rows.map((row) => (
            <Row key={row.key} row={row} />
          ))}
        </ul>
      ) : null}
      {missing.length > 0 ? (
        <p className="attention-note" role="status">
          {isPending ? 'Checking' : 'Could not check'} {missing.join(', ')}
          {isPending ? '…' : '.'}
        </p>
      ) : rows.length === 0 ? (
        <p className="attention-clear">
          <strong>All clear.</strong> No job is stranded, none failed and no node was lost in the last hour, every node
          is on time, and the server is healthy.
        </p>
      ) : null}
    </section>
  );
}

/** What is below the list waits for it, as it would be pushed down; but not for long. */
const WAIT_MS = 700;

/** Not for the health of the server: that takes its time, and is seldom in the list. `isAskingMore`: for other answers. */
export function useAttentionSettled(isAskingMore: boolean): boolean {
  const asked = Object.values(useAsked());
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setLate(true), WAIT_MS);
    return () => window.clearTimeout(timer);
  }, []);
  return useSettled(!isLate && (isAskingMore || asked.some(isAsking)));
}

/** `1 h 20 m` is not parted by the end of a line. */
const SPAN = /\d+ [dhms]\b( \d+ [hms]\b)?/g;

function Row({ row: { severity, text, link } }: { row: AttentionRow }): ReactNode {
  return (
    <li className={`attention-${severity}`}>
      <Link to={link.to} search={link.search}>
        <span className="attention-mark" aria-hidden="true" />
        <span className="hidden">{severity}: </span>
        <span>{text.replace(SPAN, unbroken)}</span>
        <span className="attention-go" aria-hidden="true">
          →
        </span>
      </Link>
    </li>
  );
}
