/** What the server is asked for what needs attention, and what of it is known. */
import { useQueries, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isGone } from '../../../../../src/protocol/names/node-state.ts';
import type { Webhook } from '../../../../../src/protocol/webhook.ts';
import { RESTORING, STARTING } from '../../../lists/counted.ts';
import { loadOf } from '../../../lists/loads-of.ts';
import { useNowMs } from '../../../parts/clock.ts';
import { useSettled } from '../../../parts/settled.ts';
import { isAsking, isDenied } from '../../../parts/states.tsx';
import { Preference } from '../../../preferences/preference.ts';
import { usePreference } from '../../../preferences/preferences.ts';
import {
  firstRunningQuery,
  jobCountQuery,
  liveStatusesQuery,
  runningJobsQuery,
  runningOf,
} from '../../../queries/jobs.ts';
import { nodeLoadsQuery } from '../../../queries/node-loads.ts';
import { nodeNamesQuery, reclaimingNodesQuery, runningNodesQuery } from '../../../queries/nodes.ts';
import { useRole } from '../../../queries/role.ts';
import { useSaveInterval } from '../../../queries/save-interval.ts';
import { configQuery, doctorQuery, idpQuery, readinessQuery, webhooksQuery } from '../../../queries/server.ts';
import {
  failedSinceQuery,
  lateNodesQuery,
  longCheckpointsQuery,
  longRestoresQuery,
  longStartsQuery,
  lostNodesQuery,
  oldestJobQuery,
  strandedWorkQuery,
} from '../../../queries/troubles.ts';
import { attentionRows, FAILURES } from './attention.ts';
import type { AttentionRow, OldestJob } from './attention-row.ts';

const MINUTE_MS = 60_000;

/** That agents save nothing by themselves, where another engine does. */
export const unsavingNotice = new Preference('unsaving', ['shown', 'hidden']);

const healthQuery = { ...doctorQuery, retry: false };

/** Each by what it is asked for; the doctor, who takes his time and seldom adds a row, stands apart. */
function useAsked() {
  return {
    readiness: useQuery(readinessQuery),
    counts: useQuery(jobCountQuery({})),
    statuses: useQuery(liveStatusesQuery),
    checkpoints: useQuery(longCheckpointsQuery),
    late: useQuery(lateNodesQuery),
    reclaiming: useQuery(reclaimingNodesQuery),
    lost: useQuery(lostNodesQuery),
    failed: useQuery(failedSinceQuery),
    unsaved: useUnsaved(),
    config: useQuery(configQuery),
  };
}

/** Of very many running jobs those that were created first, until all of them are read. */
function useUnsaved() {
  const all = useQuery(runningJobsQuery);
  const first = useQuery({ ...firstRunningQuery, enabled: all.data === undefined, select: runningOf });
  return all.data === undefined ? first : all;
}

/** What each of them is about, in words. */
const ABOUT: Readonly<Record<keyof ReturnType<typeof useAsked>, string>> = {
  readiness: 'the server',
  counts: 'jobs',
  statuses: 'jobs',
  lost: 'nodes',
  failed: 'jobs',
  unsaved: 'jobs',
  config: 'settings',
  checkpoints: 'checkpoints',
  late: 'nodes',
  reclaiming: 'nodes',
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

/**
 * How many jobs are stranded, what they lose, since when, or when they were heard of where nobody knows their nodes; that is asked
 * for only where there are some.
 */
export function useStranded() {
  const count = useQuery(jobCountQuery({})).data?.counts['stranded'] ?? 0;
  const query = useQuery({ ...strandedWorkQuery, enabled: count > 0 });
  const names = useQuery({ ...nodeNamesQuery, enabled: count > 0 });
  const { seconds = null, heardAt = null, nodeOids = [] } = (count > 0 && query.data) || {};
  const gone = nodeOids.flatMap((oid) => {
    const node = names.data?.get(oid);
    return node && isGone(node) ? [node.endedAt ?? node.lastHeartbeat] : [];
  });
  return {
    count,
    seconds: seconds || undefined,
    since: gone.toSorted()[0],
    heardAt: heardAt ?? undefined,
    isAsking: count > 0 && (isAsking(query) || isAsking(names)),
  };
}

/**
 * What makes rows longer: the reason of a single job, and the work that stranded ones lose, or those of a node that the cloud takes.
 * What takes long to start, or to be restored, is asked for only where something does that at all.
 */
function useDetails({ statuses, reclaiming }: ReturnType<typeof useAsked>) {
  const oldest = useOldest(statuses.data?.counts ?? {});
  const stranded = useStranded();
  const isReclaiming = (reclaiming.data?.length ?? 0) > 0;
  const loads = useQuery({ ...nodeLoadsQuery, enabled: isReclaiming });
  const isStarting = STARTING.some((status) => statuses.data?.counts[status]);
  const isRestoring = RESTORING.some((status) => statuses.data?.counts[status]);
  const starts = useQuery({ ...longStartsQuery, enabled: isStarting });
  const restores = useQuery({ ...longRestoresQuery, enabled: isRestoring });
  return {
    starts: isStarting ? starts.data : undefined,
    restores: isRestoring ? restores.data : undefined,
    oldest: oldest.byStatus,
    stranded,
    reclaiming: (reclaiming.data ?? []).map((node) => ({ ...node, load: loadOf(loads.data, node) })),
    asking: [
      oldest.isAsking,
      stranded.isAsking,
      isReclaiming && isAsking(loads),
      isStarting && isAsking(starts),
      isRestoring && isAsking(restores),
    ].filter(Boolean).length,
  };
}

export interface Attention {
  readonly rows: readonly AttentionRow[];
  /** What was asked and is not known, in words: `nodes`. */
  readonly missing: readonly string[];
  /** Answers that are on their way, each of which may add a row or make one longer. */
  readonly asking: number;
}

export function useAttention(): Attention {
  const asked = useAsked();
  const { readiness, statuses, checkpoints, late, lost, failed, unsaved } = asked;
  const running = useQuery(runningNodesQuery);
  const config = asked.config.data;
  const doctor = useQuery(healthQuery);
  const webhooks = useFailingWebhooks();
  const { oldest, stranded, reclaiming, starts, restores, asking: askingDetails } = useDetails(asked);
  const nowMs = useNowMs(MINUTE_MS);
  const parts = [
    ...Object.entries(ABOUT).map(([name, what]) => [asked[name as keyof typeof ABOUT], what] as const),
    ...(isDenied(doctor.error) ? [] : [[doctor, 'the server’s health'] as const]),
    ...(webhooks.isAllowed && !isDenied(webhooks.query.error) ? [[webhooks.query, 'webhooks'] as const] : []),
  ];
  // The answer of before still stands for what it was asked.
  const missing = [...new Set(parts.filter(([{ data }]) => data === undefined).map(([, what]) => what))];
  const asking = parts.filter(([query]) => isAsking(query)).length + askingDetails;
  const rows = attentionRows({
    reasons: readiness.data?.reasons ?? [],
    stranded: stranded.count,
    strandedSeconds: stranded.seconds,
    strandedSince: stranded.since,
    strandedHeard: stranded.heardAt,
    reclaiming,
    late: late.data ?? [],
    running: running.data ?? 0,
    lost: lost.data,
    failed: failed.data,
    statuses: statuses.data?.counts ?? {},
    oldest,
    checkpoints: checkpoints.data,
    starts,
    restores,
    intervalSeconds: useSaveInterval(),
    isSaving: config && config.ckpt.ckptMode === 'iterative',
    isUnsavingKnown: usePreference(unsavingNotice) === 'hidden',
    unsaved: unsaved.data?.rows ?? [],
    isUnsavedPart: unsaved.data?.hasMore === true,
    findings: doctor.data?.findings ?? [],
    webhooks: webhooks.query.data ?? [],
    nowMs,
  });
  return { rows, missing, asking };
}

/** What is below the list waits for it, as it would be pushed down; but not for long after the last answer that came. */
const WAIT_MS = 700;
/** No longer for the health of the server, which takes its time and is seldom in the list. */
const HEALTH_WAIT_MS = 250;

/**
 * Whether the list can be drawn, and whether some of it was never loaded and cannot be while the server is away. `isAskingMore`: for
 * other answers.
 */
export function useAttentionReady(isAskingMore: boolean): { readonly isSettled: boolean; readonly isUnread: boolean } {
  const asked = useAsked();
  const webhooks = useFailingWebhooks();
  const health = useQuery(healthQuery);
  const details = useDetails(asked);
  const parts = [...Object.values(asked), ...(webhooks.isAllowed ? [webhooks.query] : [])];
  const missing = parts.filter(isAsking).length + details.asking + Number(isAskingMore);
  const [isLate, setLate] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setLate(true), missing > 0 ? WAIT_MS : HEALTH_WAIT_MS);
    return () => window.clearTimeout(timer);
  }, [missing]);
  return {
    isSettled: useSettled(!isLate && (missing > 0 || isAsking(health))),
    isUnread: Object.values(asked).some(({ data, fetchStatus }) => data === undefined && fetchStatus === 'paused'),
  };
}
