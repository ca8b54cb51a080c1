/** First on the page: what needs somebody's attention, or that nothing does. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import type { Webhook } from '../../../../src/protocol/webhook.ts';
import { failedSinceQuery, singleJobQuery } from '../../api/failed-jobs.ts';
import {
  checkpointingQuery,
  doctorQuery,
  idpQuery,
  jobCountQuery,
  lateNodesQuery,
  liveStatusesQuery,
  lostSinceQuery,
  readinessQuery,
  runningNodesQuery,
  webhooksQuery,
} from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import { useNowMs } from '../../parts/clock.ts';
import { countText, unbroken } from '../../parts/format.ts';
import { useSettled } from '../../parts/settled.ts';
import { isAsking, isDenied } from '../../parts/states.tsx';
import { localText } from '../../parts/time.tsx';
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

const failingOf = (webhooks: readonly Webhook[]): Webhook[] => webhooks.filter(({ state }) => state === 'failing');

/** Those that fail; asked only for who may see webhooks, and seldom: no event tells of deliveries. */
function useFailingWebhooks() {
  const { mayOperate } = useRole();
  const isAllowed = useQuery(idpQuery).data !== undefined && mayOperate;
  const query = useQuery({ ...webhooksQuery, refetchInterval: MINUTE_MS, enabled: isAllowed, select: failingOf });
  return { query, isAllowed };
}

/** A job that is alone in a status is named; it is asked for only then. */
function useSingles(counts: Readonly<Record<string, number>>) {
  const single = FAILURES.filter(({ status }) => counts[status] === 1);
  return useQueries({
    queries: single.map(({ phase, status }) => singleJobQuery(phase, status)),
    combine: (answers) => ({
      byStatus: Object.fromEntries(
        single.flatMap(({ status }, i): [string, SingleJob][] => {
          const job = answers[i]?.data;
          return job ? [[status, job]] : [];
        }),
      ),
      isAsking: answers.some(isAsking),
    }),
  });
}

export function AttentionList(): ReactNode {
  const asked = useAsked();
  const { readiness, counts, statuses, checkpointing, late, lost, failed } = asked;
  const running = useQuery(runningNodesQuery);
  const doctor = useQuery({ ...doctorQuery, retry: false });
  const webhooks = useFailingWebhooks();
  const { byStatus: singles } = useSingles(statuses.data?.counts ?? {});
  const stranded = counts.data?.counts['stranded'] ?? 0;
  const nowMs = useNowMs(MINUTE_MS);
  const parts = [
    ...Object.entries(ABOUT).map(([name, what]) => [asked[name as keyof typeof ABOUT], what] as const),
    ...(isDenied(doctor.error) ? [] : [[doctor, 'the server’s health'] as const]),
    ...(webhooks.isAllowed && !isDenied(webhooks.query.error) ? [[webhooks.query, 'webhooks'] as const] : []),
  ];
  // The answer of before still stands for what it was asked.
  const missing = [...new Set(parts.filter(([{ data }]) => data === undefined).map(([, what]) => what))];
  const isPending = parts.some(([{ data, isPending, isPaused }]) => data === undefined && isPending && !isPaused);
  const rows = attentionRows({
    reasons: readiness.data?.reasons ?? [],
    stranded,
    late: late.data?.length ?? 0,
    running: running.data ?? 0,
    lost: lost.data ?? 0,
    failed: { ...(failed.data ?? { jobs: [], hasMore: false }), total: counts.data?.counts['failed'] },
    statuses: statuses.data?.counts ?? {},
    singles,
    checkpointing: checkpointing.data ?? [],
    findings: doctor.data?.findings ?? [],
    webhooks: webhooks.query.data ?? [],
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
      <div className="attention-end">
        {/* Reserves its place while it is not known, so that the page below stays where it is. */}
        <p className={missing.length > 0 ? 'attention-clear attention-reserved' : 'attention-clear'}>
          {rows.length === 0 ? (
            <>
              <strong>All clear.</strong> No job is stranded, none failed and no node was lost in the last hour, every
              node is on time, and the server is healthy.
            </>
          ) : (
            'Nothing else needs attention.'
          )}
        </p>
        {missing.length > 0 ? (
          <p className="attention-note" role="status">
            {isPending ? 'Checking' : 'Could not check'} {missing.join(', ')}
            {isPending ? '…' : '.'}
          </p>
        ) : null}
      </div>
    </section>
  );
}

/** What is below the list waits for it, as it would be pushed down; but not for long after the last answer that came. */
const WAIT_MS = 700;

/** Not for the health of the server: that takes its time, and is seldom in the list. `isAskingMore`: for other answers. */
export function useAttentionSettled(isAskingMore: boolean): boolean {
  const asked = useAsked();
  const webhooks = useFailingWebhooks();
  // The reason of a single job makes its row longer.
  const singles = useSingles(asked.statuses.data?.counts ?? {});
  const parts = [...Object.values(asked), ...(webhooks.isAllowed ? [webhooks.query] : [])];
  const missing = parts.filter(isAsking).length + Number(singles.isAsking) + Number(isAskingMore);
  const [isLate, setLate] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer gives the others as long again
  useEffect(() => {
    const timer = window.setTimeout(() => setLate(true), WAIT_MS);
    return () => window.clearTimeout(timer);
  }, [missing]);
  return useSettled(!isLate && missing > 0);
}

/** `1 h 20 m` is not parted by the end of a line. */
const SPAN = /\d+ [dhms]\b( \d+ [hms]\b)?/g;

function Row({ row: { severity, text, since, link } }: { row: AttentionRow }): ReactNode {
  return (
    <li className={`attention-${severity}`}>
      <Link to={link.to} search={link.search}>
        <span className="attention-mark" aria-hidden="true" />
        <span className="hidden">{severity}: </span>
        <span>{text.replace(SPAN, unbroken)}</span>
        <span className="attention-since">{since === undefined ? '' : `since ${sinceText(since)}`}</span>
        <span className="attention-go" aria-hidden="true">
          →
        </span>
      </Link>
    </li>
  );
}

/** `09:47` of today, `2026-11-21` of a day before. */
function sinceText(at: string): string {
  const [day = '', time = ''] = localText(at).split(' ');
  const [today] = localText(new Date().toISOString()).split(' ');
  return day === today ? time.slice(0, 5) : day;
}
