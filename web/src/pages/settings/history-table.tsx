/** The last changes of the configuration: who, when, what. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ConfigChange, historyQuery } from '../../api/queries.ts';
import { settingName } from '../../names/setting-names.ts';
import { Answered, Empty } from '../../parts/states.tsx';
import { LocalTime } from '../../parts/time.tsx';

export function HistoryTable(): ReactNode {
  const query = useQuery(historyQuery);
  return (
    <Answered query={query} what="the history">
      {(changes) =>
        changes.length === 0 ? (
          <Empty title="No changes yet" />
        ) : (
          <div className="panel">
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard */}
            <section className="scroll" tabIndex={0} aria-label="History">
              <table className="text">
                <thead>
                  <tr>
                    <th scope="col">When</th>
                    <th scope="col">Who</th>
                    <th scope="col">Setting</th>
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
          </div>
        )
      }
    </Answered>
  );
}

function Row({ change: { time, who, key, old, new: next } }: { change: ConfigChange }): ReactNode {
  return (
    <tr>
      <td>
        <LocalTime at={time} />
      </td>
      <td>{who}</td>
      <td>
        {settingName(key)} <code className="field-path">{key}</code>
      </td>
      <td data-label="From">{shown(old)}</td>
      <td data-label="To">{shown(next)}</td>
    </tr>
  );
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '–');
}
