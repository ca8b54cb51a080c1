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

export function SeriesPicker(props: { onPick: (name: string) => void; onClose: () => void }): ReactNode {
  const { onPick, onClose } = props;
  const [text, setText] = useState('');
  const { data, error } = useQuery(metricsQuery(text.trim(), HITS_MAX));
  return (
    <Dialog title="Add a series" onClose={onClose}>
      <div className="pick-search">
        <SearchBox label="Search by metric, queue or node" value={text} onChange={useCallback(setText, [])} />
      </div>
      {error ? <p className="bad">{messageOf(error)}</p> : null}
      {data === undefined && !error ? <Loading what="series" /> : null}
      <ul className="pick">
        {data?.rows.map(({ id, name, definition, object }) => (
          <li key={id}>
            <button type="button" onClick={() => onPick(`${object.id}/${definition.id}`)}>
              <strong>{measureText({ name, object })}</strong> <span>of {objectText(object)}</span>
              <span className="muted small">{definition.description}</span>
            </button>
          </li>
        ))}
      </ul>
      {data?.hasMore ? <p className="muted small">More than {HITS_MAX}; search with more words</p> : null}
    </Dialog>
  );
}
