/** What the palette finds: pages, saved views and settings in the browser; jobs, nodes and queues by the server. */
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Job } from '../../../src/protocol/job.ts';
import type { WorkerNode } from '../../../src/protocol/node.ts';
import { SETTINGS_TAB_LABELS, SETTINGS_TABS, settingsTabOf } from '../address/settings-tabs.ts';
import { askJson, withQuery } from '../api/request.ts';
import { SETTING_NAMES } from '../names/setting-names.ts';
import { savedViews } from '../preferences/kept-views.ts';
import { usePreference } from '../preferences/preferences.ts';
import type { SavedView } from '../preferences/saved-views.ts';
import { PLACES } from './places.ts';

export interface Found {
  readonly id: string;
  readonly label: string;
  readonly hint: string;
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
}

export interface FoundGroup {
  readonly value: string;
  readonly items: readonly Found[];
}

/** Of each kind: the reader types on rather than scroll. */
const FOUND_MAX = 6;
const WAIT_MS = 150;

const PAGES: readonly Found[] = [
  ...PLACES.map(({ to, label, key }) => ({ id: `page ${to}`, label, hint: `g ${key}`, to, search: {} })),
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
  })),
];

export function usePaletteSearch(typed: string): { groups: readonly FoundGroup[]; isSearching: boolean } {
  const text = useLater(typed.trim());
  const isAsked = text !== '';
  const jobs = useQuery({
    queryKey: ['palette', 'jobs', text],
    queryFn: ({ signal }) =>
      askJson<Pick<Job, 'id' | 'queueName' | 'status'>[]>(
        withQuery('/api/v1/job', { q: text, fields: 'id,queueName,status', sort: '-updatedAt', limit: FOUND_MAX }),
        { signal },
      ),
    enabled: isAsked,
  });
  const nodes = useQuery({
    queryKey: ['palette', 'nodes', text],
    queryFn: ({ signal }) =>
      askJson<WorkerNode[]>(withQuery('/api/v1/node', { q: text, state: 'all', limit: FOUND_MAX }), { signal }),
    enabled: isAsked,
  });
  const queues = useQuery({
    queryKey: ['palette', 'queues'],
    queryFn: ({ signal }) => askJson<{ name: string; total: number }[]>('/api/v1/queue', { signal }),
  });
  const views = usePreference(savedViews);
  // What is found at once stands above what the server finds later: nothing moves under the reader's hand.
  const groups: FoundGroup[] = [
    { value: 'Saved views', items: matching(views.map(foundView), typed).slice(0, FOUND_MAX) },
    { value: 'Pages', items: matching(PAGES, typed) },
    {
      value: 'Queues',
      items: matching(
        (queues.data ?? []).map(({ name, total }) => ({
          ...{ id: `queue ${name}`, label: name, hint: `${total} jobs`, to: '/jobs', search: { queue: name } },
        })),
        typed,
      ).slice(0, FOUND_MAX),
    },
    { value: 'Settings', items: typed.trim() === '' ? [] : matching(SETTINGS, typed).slice(0, FOUND_MAX) },
    {
      value: 'Jobs',
      items: (jobs.data ?? []).map(({ id, queueName, status }) => ({
        ...{ id: `job ${id}`, label: id, hint: `${queueName} · ${status}`, to: '/job', search: { id } },
      })),
    },
    {
      value: 'Nodes',
      items: (nodes.data ?? []).map(({ id, state, instance }) => ({
        ...{ id: `node ${id}`, label: id, hint: `${instance.instanceId} · ${state}`, to: '/node', search: { id } },
      })),
    },
  ];
  return { groups: groups.filter(({ items }) => items.length > 0), isSearching: jobs.isFetching || nodes.isFetching };
}

function foundView({ name, to, search }: SavedView): Found {
  return { id: `view ${name}`, label: name, hint: 'saved view', to, search };
}

/** Each word stands in the label or the hint; those in which each begins a word come first. */
function matching(all: readonly Found[], typed: string): Found[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all
    .map((item) => ({ item, text: ` ${item.label} ${item.hint}`.toLowerCase().replaceAll(/[./:-]/g, ' $& ') }))
    .filter(({ text, item }) => words.every((word) => text.includes(word) || textOf(item).includes(word)));
  const isFirst = ({ text }: { text: string }): boolean => words.every((word) => text.includes(` ${word}`));
  return [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))].map(({ item }) => item);
}

function textOf({ label, hint }: Found): string {
  return `${label} ${hint}`.toLowerCase();
}

function useLater(text: string): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = window.setTimeout(() => setLater(text), WAIT_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return later;
}
