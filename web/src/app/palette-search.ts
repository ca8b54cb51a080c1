/** What the palette finds: pages, saved views, settings and guides in the browser; jobs, nodes and queues by the server. */

import { useQuery } from '@tanstack/react-query';
import type { Phase } from '../../../src/protocol/phase.ts';
import type { Queue } from '../../../src/protocol/queue.ts';
import { SETTINGS_TAB_LABELS, SETTINGS_TABS, settingsTabOf } from '../address/settings-tabs.ts';
import { sumsBy } from '../api/metrics-text.ts';
import { DOCUMENTS } from '../documents/titles.ts';
import { RESTORE_FAILED } from '../lists/counted.ts';
import { loadOf, type NodeLoad } from '../lists/loads-of.ts';
import { shownState } from '../lists/shown-state.ts';
import { hostLabel } from '../names/host-label.ts';
import { SETTING_NAMES } from '../names/setting-names.ts';
import { usePhaseCounts } from '../pages/phase-counts.ts';
import { countText, wordsOf } from '../parts/format.ts';
import { useLater } from '../parts/later.ts';
import { savedViews } from '../preferences/kept-views.ts';
import { usePreference } from '../preferences/preferences.ts';
import { recents } from '../preferences/recents.ts';
import type { SavedView } from '../preferences/saved-views.ts';
import { type FoundJob, queuesQuery, runningJobsQuery } from '../queries/jobs.ts';
import { useFoundJobs, useFoundNodes } from '../queries/kept-lists.ts';
import { metricsTextQuery } from '../queries/metrics.ts';
import { nodeLoadsQuery } from '../queries/node-loads.ts';
import type { FoundNode } from '../queries/nodes.ts';
import { bestFirst } from './best-first.ts';
import { KEYED } from './places.ts';

export interface Found {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  /** Of a job or a node. */
  readonly state?: string;
  /** Whether its label is no name in which one looks for what was typed. */
  readonly isPlain?: boolean;
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
  /** A place on the page. */
  readonly hash?: string;
}

export interface FoundGroup {
  readonly value: string;
  readonly items: readonly Found[];
}

/** Of each kind: the reader types on rather than scroll. */
const FOUND_MAX = 6;
const WAIT_MS = 150;

const PAGES: readonly Found[] = [
  ...KEYED.map(({ to, label, key }) => ({ id: `page ${to}`, label, hint: `g ${key}`, to, search: {} })),
  { id: 'page api', label: 'API reference', hint: '/api/', to: '/api/', search: {} },
];

const SETTINGS: readonly Found[] = [
  ...SETTINGS_TABS.map((tab) => ({
    id: `tab ${tab}`,
    label: `Settings: ${SETTINGS_TAB_LABELS[tab]}`,
    hint: '',
    to: '/settings',
    search: { tab },
  })),
  ...Object.entries(SETTING_NAMES).map(([path, label]) => ({
    id: `setting ${path}`,
    label,
    hint: path,
    to: '/settings',
    search: { tab: settingsTabOf(path) },
    hash: path,
  })),
];

/** What an operator asks for by its state, those in trouble first. */
const PHASES_LISTED = ['stranded', 'failed', 'running', 'restoring', 'starting', 'stopped', 'succeeded'];
const STATES_LISTED = ['lost', 'late', 'deregistered'];

const GUIDES: readonly Found[] = [
  foundDocument('index', 'Documentation'),
  ...DOCUMENTS.map(([name, title]) =>
    foundDocument(name, `${name.startsWith('guide/') ? 'Guide' : 'Reference'}: ${title}`),
  ),
];

interface PaletteSearch {
  readonly groups: readonly FoundGroup[];
  /** Where what was typed may stand if no name has it. */
  readonly elsewhere: FoundGroup;
  readonly isSearching: boolean;
  /** Whether the server could not be asked for jobs and nodes. */
  readonly isUnanswered: boolean;
}

export function usePaletteSearch(typed: string): PaletteSearch {
  const text = useLater(typed.trim(), WAIT_MS);
  const jobs = useFoundJobs(text);
  const nodes = useFoundNodes(text);
  const isAnyDrained = nodes.data?.rows.some(({ drained }) => drained) === true;
  const { data: loads } = useQuery({ ...nodeLoadsQuery, enabled: isAnyDrained });
  const queues = useQuery(queuesQuery);
  const isTyped = typed.trim() !== '';
  const allLists = useLists(isTyped);
  const lists = isTyped ? allLists : [];
  const views = usePreference(savedViews);
  const opened = usePreference(recents);
  const jobsFound = bestFirst(jobs.data?.rows ?? [], text, ({ id, name }) => ({ ids: [id], name }));
  const nodesFound = bestFirst(nodes.data?.rows ?? [], text, ({ id, instance }) => ({
    ids: [id, instance.instanceId],
  }));
  const isOfNode = jobsFound.best > nodesFound.best;
  const foundJobs: FoundGroup = {
    value: 'Jobs',
    items: withAll(
      jobsFound.rows.map((job) => foundJob(job, text)),
      { what: 'jobs', to: '/jobs', search: { q: text }, hasMore: jobs.data?.hasMore === true },
    ),
  };
  const foundNodes: FoundGroup = {
    value: 'Nodes',
    items: withAll(
      nodesFound.rows.map((node) => foundNode(node, loadOf(loads, node), text)),
      { what: 'nodes', to: '/nodes', search: { q: text, state: 'all' }, hasMore: nodes.data?.hasMore === true },
    ),
  };
  // What is found at once stands above what the server finds later: nothing moves under the reader's hand.
  const groups: FoundGroup[] = [
    { value: 'Recent', items: typed.trim() === '' ? opened.filter(isElsewhere).map(foundRecent) : [] },
    { value: 'Saved views', items: matching(views.map(foundView), typed).slice(0, FOUND_MAX) },
    {
      value: 'Lists',
      items: matching([...lists, ...listsOfQueues(queues.data ?? [], typed)], typed).slice(0, FOUND_MAX),
    },
    { value: 'Pages', items: matching(PAGES, typed) },
    {
      value: 'Queues',
      items: matching(
        (queues.data ?? []).map(({ name, total }) => ({
          ...{ id: `queue ${name}`, label: name, hint: `${total} jobs`, to: '/queue', search: { name } },
        })),
        typed,
      ).slice(0, FOUND_MAX),
    },
    { value: 'Settings', items: typed.trim() === '' ? [] : matching(SETTINGS, typed).slice(0, FOUND_MAX) },
    { value: 'Guides', items: typed.trim() === '' ? [] : matching(GUIDES, typed).slice(0, FOUND_MAX) },
    // A machine is looked for by the name that its cloud gave it: jobs that ran there have it in their texts.
    ...(isOfNode ? [foundNodes, foundJobs] : [foundJobs, foundNodes]),
  ];
  const isSearching = text !== typed.trim() || jobs.isFetching || nodes.isFetching;
  const isUnanswered = [jobs, nodes].some(({ isError, isKept }) => isError || isKept);
  return {
    groups: groups.filter(({ items }) => items.length > 0),
    elsewhere: elsewhere(typed.trim()),
    isSearching,
    isUnanswered,
  };
}

/** With how many there are, where that is known. */
function useLists(isAsked: boolean): readonly Found[] {
  const phases = usePhaseCounts({});
  const { data: text } = useQuery({ ...metricsTextQuery, enabled: isAsked });
  const { data: running } = useQuery({ ...runningJobsQuery, enabled: isAsked });
  const neverSaved = running?.hasMore ? undefined : running?.rows.filter((job) => job.isNeverSaved).length;
  const states = text === undefined ? undefined : sumsBy(text, 'cairn_nodes', 'state');
  const list = (label: string, count: number | undefined, to: string, search: Found['search']): Found => ({
    ...{ id: `list ${label}`, label, hint: count === undefined ? '' : countText(count), to, search },
  });
  return [
    ...PHASES_LISTED.map((phase) => list(`${wordsOf(phase)} jobs`, phases.of(phase), '/jobs', { phase })),
    list('Restore failed jobs', phases.restoreFailed, '/jobs', { phase: 'restoring', status: RESTORE_FAILED }),
    list('Never saved jobs', neverSaved, '/jobs', { phase: 'running', sort: '-unsaved', saved: 'never' }),
    // How many these are only the lists know.
    list('Starting jobs with no volume', undefined, '/jobs', { phase: 'starting', status: 'VolumeUnready' }),
    list('Jobs by unsaved work', undefined, '/jobs', { sort: '-unsaved' }),
    ...STATES_LISTED.map((state) =>
      list(`${wordsOf(state)} nodes`, states && (states[state] ?? 0), '/nodes', { state }),
    ),
  ];
}

/** `Failed jobs in prod`, of each queue that a word stands in the name of, where another one names the phase. */
function listsOfQueues(queues: readonly Queue[], typed: string): readonly Found[] {
  const words = wordsIn(typed);
  const phases = PHASES_LISTED.filter((phase) => words.some((word) => phase.startsWith(word)));
  const named = queues.filter(({ name }) => words.some((word) => name.toLowerCase().includes(word)));
  return named.flatMap(({ name, phases: counts }) =>
    phases.map((phase) => ({
      id: `list ${phase} ${name}`,
      label: `${wordsOf(phase)} jobs in ${name}`,
      hint: countText(counts[phase as Phase]),
      to: '/jobs',
      search: { phase, queue: name },
    })),
  );
}

function foundDocument(name: string, label: string): Found {
  const to = `/docs/${name}.html`;
  return { id: `document ${name}`, label, hint: to, to, search: {} };
}

function foundJob(job: FoundJob, text: string): Found {
  const { id, phase } = job;
  return { id: `job ${id}`, label: id, hint: whyFound(job, text), state: phase, to: '/job', search: { id } };
}

function foundNode(node: FoundNode, load: NodeLoad | undefined, text: string): Found {
  const { id, instance } = node;
  const state = shownState(node, load?.jobs);
  return {
    ...{ id: `node ${id}`, label: shownId(id, text), hint: instance.instanceId, state, to: '/node', search: { id } },
  };
}

function elsewhere(q: string): FoundGroup {
  return {
    value: 'Look elsewhere',
    items: [
      { id: 'reasons', label: 'Failed jobs, by their reasons', to: '/jobs', search: { phase: 'failed' } },
      { id: 'log', label: `The server log, for “${q}”`, to: '/logs', search: { q } },
    ].map((one) => ({ ...one, hint: '', isPlain: true })),
  };
}

interface AllOfThem extends Pick<Found, 'to' | 'search'> {
  /** Whether the server has more than it was asked for. */
  readonly hasMore: boolean;
  readonly what: string;
}

/** The first few, and where they are not all a way to the list of all. */
function withAll(found: readonly Found[], { hasMore, what, to, search }: AllOfThem): readonly Found[] {
  if (!hasMore && found.length <= FOUND_MAX) return found;
  const label = `Show all ${hasMore ? '' : `${countText(found.length)} `}${what} that match`;
  return [...found.slice(0, FOUND_MAX), { id: `all ${what}`, label, hint: '', isPlain: true, to, search }];
}

/** Beside a job stands its queue, unless something else of it has the text. */
function whyFound({ id, queueName, name = '', nodeOid }: FoundJob, text: string): string {
  const has = (part: string): boolean => part.toLowerCase().includes(text.toLowerCase());
  if (has(id) || has(queueName)) return queueName;
  if (has(name)) return name;
  return has(nodeOid) ? `on node ${nodeOid}` : 'by a container, batch job or volume';
}

/** A machine as lists name it, unless the text is in the rest of its name. */
function shownId(id: string, text: string): string {
  const label = hostLabel(id);
  const wanted = text.toLowerCase();
  return id.toLowerCase().includes(wanted) && !label.toLowerCase().includes(wanted) ? id : label;
}

/** Of the page that is open nobody looks for the way. */
function isElsewhere({ to, search }: SavedView): boolean {
  const { location } = window;
  const here = new URLSearchParams(location.search);
  return to !== location.pathname || Object.entries(search).some(([name, value]) => here.get(name) !== value);
}

function foundRecent({ name, to, search }: SavedView): Found {
  const label = to === '/node' ? hostLabel(name) : name;
  return { id: `recent ${to} ${name}`, label, hint: to.slice(1), to, search };
}

function foundView({ name, to, search }: SavedView): Found {
  return { id: `view ${name}`, label: name, hint: 'saved view', to, search };
}

function wordsIn(typed: string): readonly string[] {
  return typed.toLowerCase().split(/\s+/).filter(Boolean);
}

/** Each word stands in the label or the hint; those in which each begins a word come first. */
function matching(all: readonly Found[], typed: string): Found[] {
  const words = wordsIn(typed);
  const found = all
    .map((item) => ({ item, text: ` ${item.label} ${item.hint}`.toLowerCase().replaceAll(/[./:-]/g, ' $& ') }))
    .filter(({ text, item }) => words.every((word) => text.includes(word) || textOf(item).includes(word)));
  const isFirst = ({ text }: { text: string }): boolean => words.every((word) => text.includes(` ${word}`));
  return [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))].map(({ item }) => item);
}

function textOf({ label, hint }: Found): string {
  return `${label} ${hint}`.toLowerCase();
}
