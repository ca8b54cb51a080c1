/** All jobs, as many as there are: pages are read while one scrolls; filters and order stand in the address. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ReactNode, type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { CONTINUES, runAgain } from '../../../../src/protocol/explain/remedies.ts';
import { JOB_STATUSES } from '../../../../src/protocol/names/job-status.ts';
import { type Phase, statusesOf } from '../../../../src/protocol/phase.ts';
import { Choice } from '../../controls/choice.tsx';
import { ColumnMenu } from '../../controls/column-menu.tsx';
import { Select } from '../../controls/select.tsx';
import { Filters } from '../../lists/filters.tsx';
import { isByUnsaved } from '../../lists/job-orders.ts';
import type { Saved } from '../../lists/risk-tone.ts';
import { JobPlace } from '../../names/job-place.tsx';
import { nodeCalled } from '../../names/node-called.ts';
import { NodeLink, useNodeLabels, WithNodeNames } from '../../names/node-link.tsx';
import { useNowMs } from '../../parts/clock.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { DownloadButton } from '../../parts/download-button.tsx';
import { countText, lastEventText, wordsOf } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { Answered, Empty, Loading } from '../../parts/states.tsx';
import { VirtualTable } from '../../parts/table.tsx';
import { dayText } from '../../parts/time.tsx';
import { hiddenJobColumns } from '../../preferences/hidden-columns.ts';
import { usePreference } from '../../preferences/preferences.ts';
import {
  hasUnsaved,
  isOrderOf,
  type JobFilter,
  type JobRow,
  queuesQuery,
  SORTED_ROWS_MAX,
  tellsReasons,
} from '../../queries/jobs.ts';
import { useJobPages } from '../../queries/kept-lists.ts';
import { nodeNamesQuery } from '../../queries/nodes.ts';
import { useSaveInterval } from '../../queries/save-interval.ts';
import { RANGES } from '../../range/range.ts';
import { FilterChip } from '../filter-chip.tsx';
import { ReasonChips } from '../reason-chips.tsx';
import { type ChosenReason, inAddress, reasonIn, rowsOf } from '../reasons.ts';
import { TimeChoice } from '../time-chip.tsx';
import { ViewTabs } from '../view-tabs.tsx';
import { useFollowedJobs } from './follow-jobs.ts';
import { jobColumns, jobRooms, tintedColumns } from './job-columns.tsx';
import { jobsFile, jobsFileName } from './jobs-file.ts';
import { PhaseTabs } from './phase-tabs.tsx';
import { isSaved, SavedChips, VolumeChip } from './saved-chips.tsx';

/** Of stranded jobs those that stand to lose most come first. */
function orderOf({ sort, phase }: Partial<JobFilter>): string {
  if (sort !== undefined && isOrderOf(sort, phase)) return sort;
  return phase === 'stranded' ? '-unsaved' : '-updatedAt';
}

/** Changes the address. Each change is one step back, unless it replaces the last one. */
function useSet() {
  const navigate = useNavigate({ from: '/jobs' });
  return useCallback(
    (change: { [name in keyof JobFilter | 'saved' | 'reason' | 'range']?: string | undefined }, replace = false) =>
      void navigate({ search: (before) => changed(before, change), replace }),
    [navigate],
  );
}

/** What has a place of its own stays: the phase, and the order. */
const CLEAR = {
  q: undefined,
  status: undefined,
  queue: undefined,
  node: undefined,
  range: undefined,
  updatedAfter: undefined,
  updatedBefore: undefined,
  saved: undefined,
  reason: undefined,
};

export function JobsPage(): ReactNode {
  const { search, address, saved, reason } = useAsked();
  const { range, updatedAfter: after, updatedBefore: before } = address;
  const sort = saved === undefined || isByUnsaved(search.sort) ? orderOf(search) : '-unsaved';
  const { filter, called } = useJobFilter(search, sort);
  const set = useSet();
  const chosen = [search.status, search.queue, search.node, search.updatedAfter ?? search.updatedBefore];
  const list = useRef<HTMLDivElement>(null);
  const { news, take } = useFollowedJobs(filter, list);
  const [roomless, setRoomless] = useState<readonly string[]>([]);
  // A search is one step back, however it was typed.
  const setText = useCallback((q: string) => set({ q }, search.q !== undefined), [set, search.q]);
  const setSort = useCallback((next: string) => set({ sort: next }), [set]);
  const onStatus = useCallback((status: string | undefined) => set({ status }), [set]);
  const choose = fromTheTop(set, list);
  return (
    <>
      <PageHead title="Jobs">
        <ColumnMenu columns={jobColumns(filter.phase)} hidden={hiddenJobColumns} roomless={roomless} />
        <ExportButton {...{ filter, saved, reason }} />
      </PageHead>
      <ViewTabs of="jobs" />
      <PhaseTabs filter={filter} address={address} />
      <Filters
        search={
          <SearchBox
            label="Search id, name, queue, node, volume"
            short="Search jobs"
            value={search.q ?? ''}
            onChange={setText}
          />
        }
        chosen={chosen}
        onClear={
          [search.q, saved, reason, ...chosen].some((value) => value !== undefined) ? () => set(CLEAR) : undefined
        }
        end={news > 0 ? <News count={news} onTake={take} /> : null}
      >
        <Choice
          label="Status"
          all="Any status"
          values={statusesIn(address.phase, search.status)}
          value={search.status}
          labelOf={lastEventText}
          onChange={onStatus}
        />
        <QueueChoice value={search.queue} onChange={(queue) => set({ queue })} />
        <FilterChip name="Node" value={search.node} onClear={() => set({ node: undefined })} />
        <TimeChoice
          label="Time"
          what={whatHappened(search)}
          {...{ range, after, before }}
          isGoingOn={search.status !== undefined}
          onChange={(next) => set({ range: next, updatedAfter: undefined, updatedBefore: undefined })}
        />
      </Filters>
      {called === undefined ? null : <OnNode oid={called} />}
      <JobTable
        {...{ filter, sort, saved, reason, onStatus }}
        onSort={setSort}
        onReason={(next) => choose({ reason: inAddress(next) })}
        onSaved={(next) => choose({ saved: next })}
        list={list}
        onRoomless={setRoomless}
      />
    </>
  );
}

/** The rows that are chosen among those that are there begin at the first. */
function fromTheTop(set: ReturnType<typeof useSet>, list: RefObject<HTMLDivElement | null>): ReturnType<typeof useSet> {
  return (change) => {
    list.current?.scrollTo(0, 0);
    set(change);
  };
}

/** The search named it. */
function OnNode({ oid }: { oid: string }): ReactNode {
  return (
    <p className="muted list-note">
      Jobs on node <NodeLink oid={oid} />
    </p>
  );
}

/** What the browser chooses of the jobs that the server lists. */
interface Wanted {
  readonly saved: Saved | undefined;
  readonly reason: ChosenReason;
}

function wantedOf(
  rows: readonly JobRow[],
  { saved, reason }: Wanted,
  intervalSeconds: number | undefined,
): readonly JobRow[] {
  return rowsOf(saved === undefined ? rows : rows.filter(isSaved(saved, intervalSeconds)), reason);
}

function ExportButton({ filter, ...chosen }: Wanted & { filter: Partial<JobFilter> }): ReactNode {
  const client = useQueryClient();
  const intervalSeconds = useSaveInterval();
  const wanted = (rows: readonly JobRow[]): readonly JobRow[] => wantedOf(rows, chosen, intervalSeconds);
  return (
    <DownloadButton from={() => jobsFile({ client, filter, wanted })} fileName={() => jobsFileName(filter, dayText())}>
      Export CSV
    </DownloadButton>
  );
}

function News({ count, onTake }: { count: number; onTake: () => void }): ReactNode {
  return (
    <button type="button" className="pill pill-news" onClick={onTake}>
      {countText(count)} new at the top ↑
    </button>
  );
}

/** How often a range that ends now moves on: each time it does, the list is read again. */
const RANGE_STEP_MS = 300_000;

/** Jobs of these statuses are all in one phase, and listed as that phase is. */
const PHASE_OF_ENDED: Readonly<Record<string, string>> = { Failed: 'failed', Stopped: 'stopped' };

/** The address: what the server is asked, and what of that is wanted. */
function useAsked() {
  const asked = useSearch({ from: '/jobs' });
  const now = useNowMs(RANGE_STEP_MS);
  // Two moments win.
  const isMoving = asked.range !== undefined && asked.updatedAfter === undefined && asked.updatedBefore === undefined;
  // A list of all times is the same one as time goes on.
  const nowMs = isMoving ? now : undefined;
  return useMemo(() => {
    const { saved, reason, ...address } = asked;
    const { range, ...chosen } = address;
    const search = { ...chosen, phase: chosen.phase ?? PHASE_OF_ENDED[chosen.status ?? ''] };
    const wanted: Wanted = {
      saved: hasUnsaved(search.phase) ? saved : undefined,
      // Reasons come with the list of failed jobs alone.
      reason: search.phase === 'failed' ? reasonIn(reason) : undefined,
    };
    if (range === undefined || nowMs === undefined) return { search, address, ...wanted };
    const updatedAfter = new Date(nowMs - RANGES[range].ms).toISOString();
    return { search: { ...search, updatedAfter }, address, ...wanted };
  }, [asked, nowMs]);
}

/** As the address has it; a search for the whole name of a node asks for its jobs. */
function useJobFilter(
  search: Partial<JobFilter>,
  sort: string,
): { readonly filter: Partial<JobFilter>; readonly called: string | undefined } {
  const { q, node } = search;
  const { data: names } = useQuery({ ...nodeNamesQuery, enabled: q !== undefined && node === undefined });
  const called = useMemo(() => (node === undefined ? nodeCalled(names, q) : undefined), [names, q, node]);
  const filter = useMemo((): Partial<JobFilter> => {
    const asked = { ...search, sort };
    return called === undefined ? asked : { ...asked, q: undefined, node: called };
  }, [search, sort, called]);
  return { filter, called };
}

/** What the last event of these jobs was, after which nothing else happened to them. */
function whatHappened({ status, phase = '' }: Partial<JobFilter>): string {
  if (status !== undefined) return lastEventText(status);
  return ['failed', 'succeeded', 'stopped'].includes(phase) ? wordsOf(phase) : 'Changed';
}

/** Those that a job of these phases may have; one that the address names is a choice in any case. */
function statusesIn(phase: string | undefined, chosen: string | undefined): readonly string[] {
  if (phase === undefined) return JOB_STATUSES;
  const possible = statusesOf(phase.split(',') as Phase[]);
  return JOB_STATUSES.filter((status) => possible.includes(status) || status === chosen);
}

/** One that the address names is a choice in any case. */
function QueueChoice(props: { value: string | undefined; onChange: (queue: string | undefined) => void }): ReactNode {
  const { value, onChange } = props;
  const { data } = useQuery(queuesQuery);
  const queues = useMemo(() => {
    const names = new Set(data?.map(({ name }) => name));
    if (value !== undefined) names.add(value);
    return [...names].sort();
  }, [data, value]);
  return (
    <Select
      label="Queue"
      options={[{ value: '', label: 'Any queue' }, ...queues.map((name) => ({ value: name, label: name }))]}
      value={value ?? ''}
      onChange={(name) => onChange(name || undefined)}
    />
  );
}

interface JobTableProps extends Wanted {
  readonly filter: Partial<JobFilter>;
  readonly sort: string;
  readonly onSort: (sort: string) => void;
  readonly onReason: (reason: ChosenReason) => void;
  readonly onSaved: (saved: Saved | undefined) => void;
  readonly onStatus: (status: string | undefined) => void;
  /** Becomes the element that scrolls. */
  readonly list: RefObject<HTMLDivElement | null>;
  readonly onRoomless: (ids: readonly string[]) => void;
}

function JobTable(props: JobTableProps): ReactNode {
  const { phase } = props.filter;
  const hidden = usePreference(hiddenJobColumns);
  const query = useJobPages(props.filter);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isKept, isPart } = query;
  const all = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const isFailed = phase === 'failed' && !isKept;
  const isUnsavedOfAll = isByUnsaved(props.sort) && phase === undefined;
  const intervalSeconds = useSaveInterval();
  const { saved, reason: told } = props;
  // Rows that are kept of another list come without reasons.
  const reason = isFailed ? told : undefined;
  const rows = useMemo(() => wantedOf(all, { saved, reason }, intervalSeconds), [all, saved, reason, intervalSeconds]);
  const shownPhase = isKept && tellsReasons(phase) ? undefined : phase;
  const columns = useMemo(() => tintedColumns(shownPhase, intervalSeconds), [shownPhase, intervalSeconds]);
  const nodeLabel = useNodeLabels();
  const rooms = useMemo(() => jobRooms(nodeLabel), [nodeLabel]);
  const cardFoot = useCallback((job: JobRow) => <JobPlace job={job} hidden={hidden} />, [hidden]);
  const onEnd = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage();
  }, [isFetchingNextPage, fetchNextPage]);
  // A search may find nothing for a page and go on: the page says where.
  const isSearching = all.length === 0 && hasNextPage;
  useEffect(() => {
    if (isSearching) onEnd();
  }, [isSearching, onEnd]);
  const chips = { rows: all, isPart: hasNextPage, chosen: saved, intervalSeconds, onChoose: props.onSaved };
  return (
    <Answered query={query} what="jobs">
      {() =>
        isSearching ? (
          <Loading what="jobs" />
        ) : all.length === 0 ? (
          <Nothing filter={props.filter} />
        ) : (
          <WithNodeNames>
            <ListNote phase={phase} isUnsavedOfAll={isUnsavedOfAll} onAll={() => props.onSort('-updatedAt')} />
            {isByUnsaved(props.sort) || phase === 'running' ? <SavedChips {...chips} /> : null}
            <VolumeChip {...chips} phase={phase} chosen={props.filter.status} onChoose={props.onStatus} />
            {isFailed ? (
              <ReasonChips rows={all} hasMore={hasNextPage} chosen={reason} onChoose={props.onReason} />
            ) : null}
            <VirtualTable
              label="Jobs"
              columns={columns}
              hidden={hidden}
              rows={rows}
              rooms={rooms}
              keyOf={(row) => row.id}
              sort={props.sort}
              onSort={props.onSort}
              onEnd={hasNextPage ? onEnd : undefined}
              scroller={props.list}
              onRoomless={props.onRoomless}
              cardFoot={cardFoot}
              opensRows
              hasNames={rows.some(({ id, name }) => name !== undefined && name !== '' && name !== id)}
            />
            <ListEnd
              {...{ isPart, hasNextPage, isUnsavedOfAll, phase }}
              shown={rows.length}
              read={all.length}
              isCut={data?.pages.at(-1)?.isCut === true}
            />
          </WithNodeNames>
        )
      }
    </Answered>
  );
}

interface ListEndProps {
  readonly isPart: boolean;
  readonly hasNextPage: boolean;
  readonly isCut: boolean;
  readonly isUnsavedOfAll: boolean;
  readonly phase: string | undefined;
  readonly shown: number;
  readonly read: number;
}

function ListEnd({ isPart, hasNextPage, isCut, isUnsavedOfAll, phase, shown, read }: ListEndProps): ReactNode {
  const jobs = shown === 1 ? 'job' : 'jobs';
  return (
    <p className="muted small">
      {isPart
        ? `${countText(shown)} of the jobs that are loaded; others may appear once the server answers`
        : hasNextPage
          ? `The first ${countText(read)} jobs; scroll for more`
          : isCut
            ? `The ${countText(SORTED_ROWS_MAX)} ${phase === undefined ? '' : `${phase} `}jobs that were created first; choose a queue to sort others`
            : `${countText(shown)} ${jobs}${isUnsavedOfAll ? ' with unsaved work' : ''}`}
    </p>
  );
}

interface ListNoteProps {
  readonly phase: string | undefined;
  /** Whether the list has those of all jobs that have unsaved work. */
  readonly isUnsavedOfAll: boolean;
  readonly onAll: () => void;
}

/** What one has to know of the jobs of a list. */
function ListNote({ phase, isUnsavedOfAll, onAll }: ListNoteProps): ReactNode {
  if (isUnsavedOfAll)
    return (
      <p className="muted list-note">
        Only running and stranded jobs have unsaved work; the others are left out.{' '}
        <button type="button" className="link" onClick={onAll}>
          Show all jobs
        </button>
      </p>
    );
  if (phase !== 'stranded') return null;
  return (
    <p className="muted list-note">
      {runAgain('each', 'another node')}: {CONTINUES}.
    </p>
  );
}

const NONE_OF_PHASE: Readonly<Record<string, string>> = {
  restoring: 'No job is being restored',
  failed: 'No job has failed',
  succeeded: 'No job has succeeded',
};

function Nothing({ filter: { sort: _, ...filters } }: { filter: Partial<JobFilter> }): ReactNode {
  const { phase, ...others } = filters;
  const isPhaseAlone = Object.values(others).every((value) => value === undefined);
  if (phase !== undefined && isPhaseAlone && !phase.includes(','))
    return (
      <Empty title={NONE_OF_PHASE[phase] ?? `No job is ${phase}`}>
        <Link to="/jobs">Show all jobs</Link>
      </Empty>
    );
  if (Object.values(filters).some((value) => value !== undefined))
    return (
      <Empty title="No job matches the filters">
        <Link to="/jobs">Show all jobs</Link>
        {filters.q === undefined ? null : (
          <p className="muted">
            A search does not look at reasons.{' '}
            <Link to="/jobs" search={{ phase: 'failed' }}>
              Failed jobs
            </Link>{' '}
            are counted by theirs.
          </p>
        )}
      </Empty>
    );
  return (
    <Empty title="No jobs yet">
      <p className="muted">A job appears here with its first event. To run one, on a worker:</p>
      <CommandLine line="sudo cairn run --job first -- sleep 600" />
      <Link to="/nodes">See the workers, or connect one</Link>
    </Empty>
  );
}

/** What was never saved, or is late, is looked for in the order by unsaved work alone. */
function changed(
  before: Readonly<Record<string, string | undefined>>,
  change: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept = withoutEmpty({ ...before, ...change });
  if (change['sort'] !== undefined && !isByUnsaved(change['sort'])) delete kept['saved'];
  return kept;
}

function withoutEmpty(search: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(search)) if (value !== undefined && value !== '') kept[name] = value;
  return kept;
}
