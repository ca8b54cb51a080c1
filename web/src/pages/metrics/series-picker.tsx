/** Finds series among all by words of their name, definition and object; by keys alone, too. The server searches. */
import { Combobox } from '@base-ui/react/combobox';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import type { MetricEntry } from '../../../../src/protocol/metric.ts';
import { Dialog, DialogEnd } from '../../controls/dialog.tsx';
import { useLater } from '../../parts/later.ts';
import { Loading, messageOf, Waiting } from '../../parts/states.tsx';
import { metricsQuery } from '../../queries/metrics.ts';
import { measureText, objectText } from './object-text.ts';
import { type SeriesGroup, seriesGroups, seriesOf } from './series-found.ts';

/** Hits shown; more words find the others. */
const HITS_MAX = 100;
/** Before the server is asked for what is typed. */
const WAIT_MS = 200;

interface SeriesPickerProps {
  /** Those that the chart has. It stays open, so that several can be chosen. */
  readonly chosen: readonly string[];
  readonly chosenMax: number;
  readonly onChoose: (names: readonly string[]) => void;
  readonly onClose: () => void;
}

export function SeriesPicker({ chosen, chosenMax, onChoose, onClose }: SeriesPickerProps): ReactNode {
  const [text, setText] = useState('');
  const words = useLater(text.trim(), WAIT_MS);
  const { data, error, fetchStatus } = useQuery(metricsQuery(words, HITS_MAX));
  const groups = useMemo(() => seriesGroups(data?.rows ?? [], data?.words ?? ''), [data]);
  const entries = useMemo(() => new Map(data?.rows.map((entry) => [seriesOf(entry), entry])), [data]);
  return (
    <Dialog title="Add series" onClose={onClose}>
      <Combobox.Root
        multiple
        inline
        open
        items={groups}
        filter={null}
        autoHighlight
        value={chosen}
        // The chart takes no more: what is chosen beyond that is not.
        onValueChange={(names) => names.length <= chosenMax && onChoose(names)}
        inputValue={text}
        // A choice leaves the words: the next one is often among the same.
        onInputValueChange={(next, { reason }) => reason === 'input-change' && setText(next)}
      >
        <Combobox.Input
          className="search pick-search"
          aria-label="Search by metric, queue or node"
          placeholder="Search by metric, queue or node"
        />
        {error ? <p className="bad">{messageOf(error)}</p> : null}
        {data !== undefined || error ? null : fetchStatus === 'paused' ? (
          <Waiting what="series" />
        ) : (
          <Loading what="series" />
        )}
        {data?.rows.length === 0 ? (
          <p className="muted" role="status">
            No series matches these words. Names and descriptions are searched, such as <em>checkpoint failures</em>.
          </p>
        ) : null}
        <Combobox.List className="pick">
          {({ value, items }: SeriesGroup) => (
            <Combobox.Group key={value} items={items}>
              <Combobox.GroupLabel className="menu-label">{value}</Combobox.GroupLabel>
              <Combobox.Collection>
                {(series: string) => <SeriesOption key={series} series={series} entry={entries.get(series)} />}
              </Combobox.Collection>
            </Combobox.Group>
          )}
        </Combobox.List>
      </Combobox.Root>
      {data?.hasMore ? <p className="muted small">More than {HITS_MAX}; search with more words</p> : null}
      <DialogEnd cancel="Done">
        <span className="muted small pick-count">
          {chosen.length} of {chosenMax} series on the chart
          {chosen.length < chosenMax ? '' : '; take one away to add another'}
        </span>
      </DialogEnd>
    </Dialog>
  );
}

function SeriesOption({ series, entry }: { series: string; entry: MetricEntry | undefined }): ReactNode {
  if (entry === undefined) return null;
  return (
    <Combobox.Item value={series} className="option pick-option">
      <span>
        {measureText(entry)} <span className="muted">of {objectText(entry.object)}</span>
        <span className="option-note">{entry.definition.description}</span>
      </span>
      <Combobox.ItemIndicator className="option-mark" aria-hidden="true">
        ✓
      </Combobox.ItemIndicator>
    </Combobox.Item>
  );
}
