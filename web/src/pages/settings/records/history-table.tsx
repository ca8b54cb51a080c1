/** The last changes of the configuration: who, when, what, and how to put the earlier value back. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type FlatConfig, flattenConfig } from '../../../../../src/protocol/config/config.ts';
import { settingsTabOf } from '../../../address/settings-tabs.ts';
import { settingName } from '../../../names/setting-names.ts';
import { capitalized, countText } from '../../../parts/format.ts';
import { SearchBox } from '../../../parts/search-box.tsx';
import { Answered, Empty } from '../../../parts/states.tsx';
import { LocalTime, localText, zoneText } from '../../../parts/time.tsx';
import { type ConfigChange, configQuery, historyQuery } from '../../../queries/server.ts';
import { Values } from '../form/change-preview.tsx';
import { settingValue } from '../form/value-text.ts';
import { earlierOf, isFound, putBackText, whoOf } from './history-text.ts';
import { RecordTable } from './record-table.tsx';
import { useWords } from './search-words.ts';
import { Who } from './who.tsx';

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
          <Changes changes={changes} />
        )
      }
    </Answered>
  );
}

function Changes({ changes }: { changes: readonly ConfigChange[] }): ReactNode {
  const [words, setWords] = useWords();
  const { data: config } = useQuery(configQuery);
  const current = config && flattenConfig(config);
  const found = changes.filter((change) => isFound(change, words, localText(change.time)));
  const isPart = changes.length >= CHANGES_KEPT;
  const all = `${isPart ? 'the last ' : ''}${countText(changes.length)} ${changes.length === 1 ? 'change' : 'changes'}`;
  const older = isPart ? <Older words={words} /> : null;
  return (
    <>
      <div className="filters">
        <SearchBox label="Setting, value, person or time" value={words} onChange={setWords} />
        <span className="muted records-count" role="status">
          {words.trim() === '' ? capitalized(all) : `${countText(found.length)} of ${all}`}
        </span>
      </div>
      {found.length === 0 ? (
        <Empty title={`No change matches “${words.trim()}”`}>
          <button type="button" onClick={() => setWords('')}>
            Show all changes
          </button>
          {older}
        </Empty>
      ) : (
        <RecordTable label="History" headings={[`Time, ${zoneText()}`, 'Who', 'Setting', 'Change']} end={older}>
          {found.map((change) => (
            <Row key={`${change.version}/${change.key}`} change={change} current={current} />
          ))}
        </RecordTable>
      )}
    </>
  );
}

/** So many the server keeps apart; the audit log has those before. */
const CHANGES_KEPT = 100;

function Older({ words }: { words: string }): ReactNode {
  return (
    <p className="muted small records-end">
      Only the last {CHANGES_KEPT} changes are here.{' '}
      <Link to="/settings" search={{ tab: 'audit', q: words || undefined }}>
        Older ones are in the audit log
      </Link>
    </p>
  );
}

function Row({ change, current }: { change: ConfigChange; current: FlatConfig | undefined }): ReactNode {
  const { time, who, key, old, new: next } = change;
  return (
    <tr>
      <td className="whole record-meta">
        <LocalTime at={time} zoneKnown={zoneText()} />
      </td>
      <td className="whole record-meta">
        <Who {...whoOf(who)} />
      </td>
      <td className="record-title">
        <Link to="/settings" search={{ tab: settingsTabOf(key) }} hash={key}>
          {settingName(key)}
        </Link>{' '}
        <code className="field-path">{key}</code>
      </td>
      <td className="record-detail">
        <Values path={key} before={settingValue(key, old)} after={settingValue(key, next)} />
        {current ? <PutBack change={change} current={current} /> : null}
      </td>
    </tr>
  );
}

/** Fills in the form of the setting: its rules, warnings and review are those of any edit. */
function PutBack({ change, current }: { change: ConfigChange; current: FlatConfig }): ReactNode {
  const { key, old } = change;
  const navigate = useNavigate();
  const draft = earlierOf(change, current);
  if (draft === undefined) return null;
  const text = putBackText(change);
  return (
    // No link: what it fills in would be lost in another tab.
    <button
      type="button"
      className="put-back"
      title={`${settingName(key)}: ${settingValue(key, old)}. Nothing changes before you apply it.`}
      onClick={() =>
        void navigate({ to: '/settings', search: { tab: settingsTabOf(key) }, hash: key, state: { draft } })
      }
    >
      {text}
      <span className="hidden"> for {settingName(key)}</span>
    </button>
  );
}
