/** The last changes of the configuration: who, when, what. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ConfigChange, historyQuery } from '../../api/queries.ts';
import { Answered, Empty } from '../../parts/states.tsx';
import { LocalTime } from '../../parts/time.tsx';

export function HistoryTable(): ReactNode {
  const query = useQuery(historyQuery);
  return (
    <Answered query={query} what="the history">
      {(changes) =>
        changes.length === 0 ? (
          <Empty title="Nothing was changed yet" />
        ) : (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard
          <section className="panel scroll" tabIndex={0} aria-label="History">
            <table>
              <thead>
                <tr>
                  <th scope="col">When</th>
                  <th scope="col">Who</th>
                  <th scope="col">Field</th>
                  <th scope="col">From</th>
                  <th scope="col">To</th>
                </tr>
              </thead>
              <tbody>
                {changes.map((change) => (
                  <Row key={`${change.version}/${change.key}`} change={change} />
                ))}
              </tbody>
            </table>
          </section>
        )
      }
    </Answered>
  );
}

function Row({ change: { time, who, key, old, new: next } }: { change: ConfigChange }): ReactNode {
  return (
    <tr>
      <td className="left">
        <LocalTime at={time} />
      </td>
      <td className="left">{who}</td>
      <td className="left">{key}</td>
      <td className="left">{shown(old)}</td>
      <td className="left">{shown(next)}</td>
    </tr>
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '–');
}
