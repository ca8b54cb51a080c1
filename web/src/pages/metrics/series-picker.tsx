/** Finds a series among all by words of its name, definition and object. The server searches. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useCallback, useState } from 'react';
import { Dialog } from '../../controls/dialog.tsx';
import { SearchBox } from '../../parts/search-box.tsx';
import { Loading, messageOf } from '../../parts/states.tsx';
import { metricsQuery } from '../../queries/metrics.ts';
import { measureText, objectText } from './object-text.ts';

/** Hits shown; more words find the others. */
const HITS_MAX = 100;

/** `chosen`: those that the chart has. It stays open, so that several can be chosen. */
export function SeriesPicker(props: {
  chosen: readonly string[];
  onPick: (name: string) => void;
  onClose: () => void;
}): ReactNode {
  const { chosen, onPick, onClose } = props;
  const [text, setText] = useState('');
  const { data, error } = useQuery(metricsQuery(text.trim(), HITS_MAX));
  return (
    <Dialog title="Add a series" onClose={onClose}>
      <div className="pick-search">
        <SearchBox label="Search by metric, queue or node" value={text} onChange={useCallback(setText, [])} />
      </div>
      {error ? <p className="bad">{messageOf(error)}</p> : null}
      {data === undefined && !error ? <Loading what="series" /> : null}
      {data?.rows.length === 0 ? (
        <p className="muted" role="status">
          No series matches these words. Names and descriptions are searched, such as <em>checkpoint failures</em>.
        </p>
      ) : null}
      <ul className="pick">
        {data?.rows.map(({ id, name, definition, object }) => {
          const series = `${object.id}/${definition.id}`;
          const isChosen = chosen.includes(series);
          return (
            <li key={id}>
              <button type="button" aria-pressed={isChosen} onClick={() => onPick(series)}>
                <strong>{measureText({ name, object })}</strong> <span>of {objectText(object)}</span>
                <span className="muted small">{isChosen ? 'On the chart' : definition.description}</span>
              </button>
            </li>
          );
        })}
      </ul>
      {data?.hasMore ? <p className="muted small">More than {HITS_MAX}; search with more words</p> : null}
    </Dialog>
  );
}
