/** The last changes of the configuration: who, when, what. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Person } from '../../../names/person.tsx';
import { settingName } from '../../../names/setting-names.ts';
import { Answered, Empty } from '../../../parts/states.tsx';
import { LocalTime, zoneText } from '../../../parts/time.tsx';
import { type ConfigChange, historyQuery } from '../../../queries/server.ts';
import { Values } from '../form/change-preview.tsx';
import { settingValue } from '../form/value-text.ts';
import { RecordTable } from './record-table.tsx';

export function HistoryTable(): ReactNode {
  const query = useQuery(historyQuery);
  return (
    <Answered query={query} what="the history">
      {(changes) =>
        changes.length === 0 ? (
          <Empty title="No changes yet">
            <p>Every change of a setting is kept here, with who made it.</p>
          </Empty>
        ) : (
          <RecordTable label="History" headings={[`Time, ${zoneText()}`, 'Who', 'Setting', 'Change']}>
            {changes.map((change) => (
              <Row key={`${change.version}/${change.key}`} change={change} />
            ))}
          </RecordTable>
        )
      }
    </Answered>
  );
}

function Row({ change: { time, who, key, old, new: next } }: { change: ConfigChange }): ReactNode {
  return (
    <tr>
      <td className="whole record-meta">
        <LocalTime at={time} zoneKnown={zoneText()} />
      </td>
      <td className="whole record-meta">
        <Person who={who} />
      </td>
      <td className="record-title">
        {settingName(key)} <code className="field-path">{key}</code>
      </td>
      <td className="record-detail">
        <Values before={settingValue(key, old)} after={settingValue(key, next)} />
      </td>
    </tr>
  );
}
