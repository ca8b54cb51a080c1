/** First on the page: what needs somebody's attention, or that nothing does. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { Webhook } from '../../../../src/protocol/webhook.ts';
import { useNowMs } from '../../parts/clock.ts';
import { countText, unbroken } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { useSettled } from '../../parts/settled.ts';
import { isAsking, isDenied } from '../../parts/states.tsx';
import { localText } from '../../parts/time.tsx';
import { jobCountQuery, liveStatusesQuery } from '../../queries/jobs.ts';
import { runningNodesQuery } from '../../queries/nodes.ts';
import { useRole } from '../../queries/role.ts';
import { configQuery, doctorQuery, idpQuery, readinessQuery, webhooksQuery } from '../../queries/server.ts';
import {
  failedSinceQuery,
  lateNodesQuery,
  longCheckpointsQuery,
  lostNodesQuery,
  oldestJobQuery,
  strandedSecondsQuery,
} from '../../queries/troubles.ts';
import { type AttentionRow, attentionRows, FAILURES, type OldestJob } from './attention.ts';

const MINUTE_MS = 60_000;

/** Each by what it is asked for; the doctor, who takes his time and seldom adds a row, stands apart. */
function useAsked() {
  return {
    readiness: useQuery(readinessQuery),
    counts: useQuery(jobCountQuery({})),
    statuses: useQuery(liveStatusesQuery),
    checkpoints: useQuery(longCheckpointsQuery),
    late: useQuery(lateNodesQuery),
    lost: useQuery(lostNodesQuery),
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
  checkpoints: 'checkpoints',
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

/** Of each trouble the job that has it for longest; it is asked for only where there is one. */
function useOldest(counts: Readonly<Record<string, number>>) {
  const troubles = FAILURES.filter(({ status }) => (counts[status] ?? 0) > 0);
  return useQueries({
    queries: troubles.map(({ phase, status }) => oldestJobQuery(phase, status)),
    combine: (answers) => ({
      byStatus: Object.fromEntries(
        troubles.flatMap(({ status }, i): [string, OldestJob][] => {
          const job = answers[i]?.data;
          return job ? [[status, job]] : [];
        }),
      ),
      isAsking: answers.some(isAsking),
    }),
  });
}

export interface Attention {
  readonly rows: readonly AttentionRow[];
  /** What was asked and is not known, in words: `nodes`. */
  readonly missing: readonly string[];
  /** Whether something of it may still come. */
  readonly isPending: boolean;
}

export function useAttention(): Attention {
  const asked = useAsked();
  const { readiness, counts, statuses, checkpoints, late, lost, failed } = asked;
  const running = useQuery(runningNodesQuery);
  const config = useQuery(configQuery);
  const doctor = useQuery({ ...doctorQuery, retry: false });
  const webhooks = useFailingWebhooks();
  const { byStatus: oldest } = useOldest(statuses.data?.counts ?? {});
  const stranded = counts.data?.counts['stranded'] ?? 0;
  const strandedSeconds = useQuery({ ...strandedSecondsQuery, enabled: stranded > 0 }).data ?? undefined;
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
    strandedSeconds,
    late: late.data ?? [],
    running: running.data ?? 0,
    lost: lost.data,
    failed: failed.data,
    statuses: statuses.data?.counts ?? {},
    oldest,
    checkpoints: checkpoints.data,
    findings: doctor.data?.findings ?? [],
    webhooks: webhooks.query.data ?? [],
    nowMs,
    ttl: config.data?.node.ttl,
  });
  return { rows, missing, isPending };
}

export function AttentionList(): ReactNode {
  const { rows, missing, isPending } = useAttention();
  const reserved = useKeptHeight(missing.length === 0);
  return (
    <section className="attention" aria-labelledby="attention" {...reserved}>
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

const HEIGHT = 'cairn.attention-px';

/**
 * While not all is known, the list is as high as it was when all was known last: rows that come late do not push down the page.
 * `isWhole`: whether all is known.
 */
function useKeptHeight(isWhole: boolean) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = ref;
    if (!current || !isWhole) return undefined;
    const watch = new ResizeObserver(() => keep(String(current.getBoundingClientRect().height)));
    watch.observe(current);
    return () => watch.disconnect();
  }, [isWhole]);
  const [minHeight] = useState(() => Number(kept()));
  return { ref, style: isWhole || !(minHeight > 0) ? undefined : { minHeight } };
}

// A browser may refuse to keep anything; then rows that come late push the page down.
function kept(): string | null {
  try {
    return sessionStorage.getItem(HEIGHT);
  } catch {
    return null;
  }
}

function keep(height: string): void {
  try {
    sessionStorage.setItem(HEIGHT, height);
  } catch {}
}

/** What is below the list waits for it, as it would be pushed down; but not for long after the last answer that came. */
const WAIT_MS = 700;

/** Not for the health of the server: that takes its time, and is seldom in the list. `isAskingMore`: for other answers. */
export function useAttentionSettled(isAskingMore: boolean): boolean {
  const asked = useAsked();
  const webhooks = useFailingWebhooks();
  // The reason of a single job makes its row longer.
  const oldest = useOldest(asked.statuses.data?.counts ?? {});
  const parts = [...Object.values(asked), ...(webhooks.isAllowed ? [webhooks.query] : [])];
  const missing = parts.filter(isAsking).length + Number(oldest.isAsking) + Number(isAskingMore);
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

/** What is read first: a count, or the job that it is about. */
const LEAD = /^(?:All )?[\d,]+(?: of [\d,]+)?/;

function Row({ row }: { row: AttentionRow }): ReactNode {
  const { severity, text, link } = row;
  const id = link.to === '/job' ? link.search.id : '';
  const lead = id !== '' && text.startsWith(id) ? id : (LEAD.exec(text)?.[0] ?? '');
  return (
    <li className={`attention-${severity}`}>
      <Link to={link.to} search={link.search}>
        <Icon name={severity === 'critical' ? 'critical' : 'failed'} />
        <span className="hidden">{severity}: </span>
        <span className="attention-text">
          {lead === '' ? null : <strong>{lead}</strong>}
          {text.slice(lead.length).replace(SPAN, unbroken)}
        </span>
        <span className="attention-stake">{stakeText(row)}</span>
        <span className="attention-go" aria-hidden="true">
          →
        </span>
      </Link>
    </li>
  );
}

/** `18 h unsaved`, `since 09:47`, `latest 15:41`. */
function stakeText({ stake, since, latest }: AttentionRow): string {
  const parts = [
    stake?.replace(SPAN, unbroken),
    since && `since ${timeText(since)}`,
    latest && `latest ${timeText(latest)}`,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** `09:47` of today, `2026-11-21` of a day before. */
function timeText(at: string): string {
  const [day = '', time = ''] = localText(at).split(' ');
  const [today] = localText(new Date().toISOString()).split(' ');
  return day === today ? time.slice(0, 5) : day;
}
