/** The audit log: who did what, to what, and from where; newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type AuditRecord, auditQuery } from '../../../api/audit.ts';
import { Person } from '../../../names/person.tsx';
import { settingName } from '../../../names/setting-names.ts';
import { Answered, Empty } from '../../../parts/states.tsx';
import { LocalTime } from '../../../parts/time.tsx';
import { Values } from '../form/change-preview.tsx';
import { shownValue } from '../form/value-text.ts';
import { actionText, detailParts, isChanges, targetText } from './audit-text.ts';
import { RecordTable } from './record-table.tsx';

export function AuditTable(): ReactNode {
  const query = useInfiniteQuery(auditQuery);
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const records = data?.pages.flat() ?? [];
  return (
    <Answered query={query} what="the audit log">
      {() =>
        records.length === 0 ? (
          <Empty title="Nothing was done yet" />
        ) : (
          <RecordTable
            label="Audit log"
            about="Every change that somebody made, newest first."
            headings={['When', 'Who', 'Action', 'Target', 'Detail']}
            end={
              hasNextPage ? (
                <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                  Show older
                </button>
              ) : null
            }
          >
            {records.map((record) => (
              <Row key={record.seq} record={record} />
            ))}
          </RecordTable>
        )
      }
    </Answered>
  );
}

function Row({ record }: { record: AuditRecord }): ReactNode {
  const { time, who, from, action } = record;
  return (
    <tr>
      <td className="whole record-meta">
        <LocalTime at={time} />
      </td>
      <td className="whole record-meta">
        <Person who={who} /> <span className="muted">({from})</span>
      </td>
      <td className="whole record-title" title={action}>
        {actionText(action)}
      </td>
      <td className="record-detail" title={record.target}>
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
        ? Object.entries(changes).map(([path, { old, new: next }]) => (
            <div key={path} title={path}>
              {settingName(path)}: <Values before={shownValue(old)} after={shownValue(next)} />
            </div>
          ))
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
