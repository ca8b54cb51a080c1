/** The audit log: who did what, to what, and from where; newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type AuditRecord, auditQuery } from '../../../api/audit.ts';
import { Person } from '../../../names/person.tsx';
import { countText } from '../../../parts/format.ts';
import { SearchBox } from '../../../parts/search-box.tsx';
import { Answered, Empty } from '../../../parts/states.tsx';
import { LocalTime, localText, zoneText } from '../../../parts/time.tsx';
import { Values } from '../form/change-preview.tsx';
import { actionText, changeText, detailParts, hasWords, isChanges, targetText } from './audit-text.ts';
import { RecordTable } from './record-table.tsx';
import { useWords } from './search-words.ts';

export function AuditTable(): ReactNode {
  const query = useInfiniteQuery(auditQuery);
  const records = query.data?.pages.flat() ?? [];
  return (
    <Answered query={query} what="the audit log">
      {() =>
        records.length === 0 ? (
          <Empty title="Nothing was done yet">
            <p>Changes of settings, tokens and webhooks are kept here, with who made them.</p>
          </Empty>
        ) : (
          <Records records={records} query={query} />
        )
      }
    </Answered>
  );
}

interface RecordsProps {
  readonly records: readonly AuditRecord[];
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
}

/** The search is among what was read: the server has none. */
function Records({ records, query: { hasNextPage, isFetchingNextPage, fetchNextPage } }: RecordsProps): ReactNode {
  const [words, setWords] = useWords();
  const found = records.filter((record) => hasWords(record, words, localText(record.time)));
  const among = `${hasNextPage ? 'the newest ' : ''}${countText(records.length)} records`;
  const older = hasNextPage ? (
    <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
      Show older
    </button>
  ) : null;
  return (
    <>
      <div className="filters">
        <SearchBox label="Person, action, setting or time" value={words} onChange={setWords} />
        <span className="muted" role="status">
          {words.trim() === '' ? `${among}` : `${countText(found.length)} of ${among}`}
        </span>
      </div>
      {found.length === 0 ? (
        <Empty title={`No record matches “${words.trim()}”`}>
          <button type="button" onClick={() => setWords('')}>
            Show all records
          </button>
          {older}
        </Empty>
      ) : (
        <RecordTable
          label="Audit log"
          headings={[`Time, ${zoneText()}`, 'Who', 'Action', 'Target', 'Detail']}
          end={older}
        >
          {found.map((record) => (
            <Row key={record.seq} record={record} />
          ))}
        </RecordTable>
      )}
    </>
  );
}

function Row({ record }: { record: AuditRecord }): ReactNode {
  const { time, who, from, action } = record;
  return (
    <tr>
      <td className="whole record-meta">
        <LocalTime at={time} zoneKnown={zoneText()} />
      </td>
      <td className="whole record-meta">
        <Person who={who} /> <span className="muted">({from})</span>
      </td>
      <td className="whole record-title" title={action}>
        {actionText(record)}
      </td>
      <td className="record-detail record-target" title={record.target}>
        {targetText(record)}
      </td>
      <td className="record-detail">
        <Detail detail={record.detail} />
      </td>
    </tr>
  );
}

/** Changed settings with their old and new values; all else as it was recorded. */
function Detail({ detail }: { detail: AuditRecord['detail'] }): ReactNode {
  const { changes, version, expiresAt, ...others } = detail;
  const parts = detailParts(isChanges(changes) ? others : { ...others, changes, version });
  return (
    <>
      {isChanges(changes)
        ? Object.entries(changes).map(([path, change]) => {
            const [name, before, after] = changeText(path, change);
            return (
              <div key={path} title={path}>
                {name}: <Values before={before} after={after} />
              </div>
            );
          })
        : null}
      {parts.join(', ')}
      {typeof expiresAt === 'string' ? (
        <>
          {parts.length === 0 ? 'Valid until ' : ', valid until '}
          <LocalTime at={expiresAt} />
        </>
      ) : null}
    </>
  );
}
