/** Finds a series among all by words of its name, definition and object. */
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { MetricEntry } from '../../../../src/protocol/metric.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { countText } from '../../parts/format.ts';
import { SearchBox } from '../../parts/search-box.tsx';
import { Loading } from '../../parts/states.tsx';

/** Hits shown; more words find the others. */
const HITS_MAX = 100;

export function SeriesPicker(props: {
  entries: readonly MetricEntry[] | undefined;
  onPick: (name: string) => void;
  onClose: () => void;
}): ReactNode {
  const { entries, onPick, onClose } = props;
  const [text, setText] = useState('');
  const hits = useMemo(() => hitsOf(entries ?? [], text), [entries, text]);
  return (
    <Dialog title="Add a series" onClose={onClose}>
      <SearchBox label="Words of metric, queue or node" value={text} onChange={useCallback(setText, [])} />
      {entries === undefined ? <Loading what="series" /> : null}
      <ul className="pick">
        {hits.slice(0, HITS_MAX).map(({ id, name, definition, object }) => (
          <li key={id}>
            <button type="button" onClick={() => onPick(`${object.id}/${definition.id}`)}>
              <strong>{name}</strong> <span>{object.name}</span>
              <span className="muted small">{definition.description}</span>
            </button>
          </li>
        ))}
      </ul>
      {hits.length > HITS_MAX ? (
        <p className="muted small">{countText(hits.length - HITS_MAX)} more; search with more words</p>
      ) : null}
    </Dialog>
  );
}

function hitsOf(entries: readonly MetricEntry[], text: string): readonly MetricEntry[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  return entries.filter(({ name, id }) => {
    const searched = `${name} ${id}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}
