/** Chooses among nodes: by a text, by where they are, what they are and how they are paid for, by their last heartbeat. */
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useCallback } from 'react';
import { Select } from '../../controls/select.tsx';
import { Filters } from '../../lists/filters.tsx';
import { SORT_DEFAULT } from '../../lists/shown-state.ts';
import { wordsOf } from '../../parts/format.ts';
import { SearchBox } from '../../parts/search-box.tsx';
import { type NodeFilter, nodePlacesQuery, nodesQuery, type PlacedNode } from '../../queries/nodes.ts';
import { TimeChip } from '../time-chip.tsx';

type Name = 'zone' | 'instanceType' | 'payType';

const CHOICES: readonly { readonly name: Name; readonly label: string; readonly all: string }[] = [
  { name: 'zone', label: 'Zone', all: 'Any zone' },
  { name: 'instanceType', label: 'Type', all: 'Any type' },
  { name: 'payType', label: 'Pay type', all: 'Any pay type' },
];

type Change = Partial<Record<keyof NodeFilter, string | undefined>>;

/** What has a place of its own stays: the state, and the order. */
const CLEAR: Change = {
  q: undefined,
  zone: undefined,
  instanceType: undefined,
  payType: undefined,
  heartbeatAfter: undefined,
  heartbeatBefore: undefined,
};

export function NodeFilters({ search }: { search: Partial<NodeFilter> }): ReactNode {
  const { q, zone, instanceType, payType, state, heartbeatAfter, heartbeatBefore } = search;
  const navigate = useNavigate({ from: '/nodes' });
  const set = useCallback(
    (change: Change, replace = false) => void navigate({ search: (before) => ({ ...before, ...change }), replace }),
    [navigate],
  );
  const chosen = [zone, instanceType, payType, heartbeatAfter ?? heartbeatBefore];
  const isSearched = q !== undefined;
  // A search is one step back, however it was typed.
  const setText = useCallback((text: string) => set({ q: text || undefined }, isSearched), [set, isSearched]);
  return (
    <Filters
      search={
        <SearchBox label="Search id, host, address, instance" short="Search nodes" value={q ?? ''} onChange={setText} />
      }
      chosen={chosen}
      onClear={[q, ...chosen].some((value) => value !== undefined) ? () => set(CLEAR) : undefined}
    >
      <Places filter={search} onChange={set} />
      <TimeChip
        what={state === 'lost' ? 'Lost' : 'Last heartbeat'}
        after={heartbeatAfter}
        before={heartbeatBefore}
        onClear={() => set({ heartbeatAfter: undefined, heartbeatBefore: undefined })}
      />
    </Filters>
  );
}

/** Among those that there are in this state. */
function Places({ filter, onChange }: { filter: Partial<NodeFilter>; onChange: (change: Change) => void }): ReactNode {
  const { state, sort: _, ...others } = filter;
  const isWhole = Object.values(others).every((value) => value === undefined);
  // The page has the whole list at hand; beside a part of it, the names are enough.
  const whole = useQuery({ ...nodesQuery({ state, sort: SORT_DEFAULT }), enabled: isWhole });
  const names = useQuery({ ...nodePlacesQuery(state), enabled: !isWhole });
  const nodes: readonly PlacedNode[] = (isWhole ? whole : names).data?.rows ?? [];
  return CHOICES.map(({ name, label, all }) => {
    const value = filter[name] ?? '';
    const values = namesOf(nodes, name, value);
    const options = values.map((one) => ({ value: one, label: name === 'payType' ? wordsOf(one) : one }));
    return (
      <Select
        key={name}
        label={label}
        options={[{ value: '', label: all }, ...options]}
        value={value}
        onChange={(next) => onChange({ [name]: next || undefined })}
      />
    );
  });
}

/** One that the address names is a choice in any case. */
function namesOf(nodes: readonly PlacedNode[], name: Name, chosen: string): string[] {
  const names = new Set(nodes.map(({ instance }) => instance[name]));
  return [...names.add(chosen)].filter((one) => one !== '').sort();
}
