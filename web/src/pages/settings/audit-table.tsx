/** The audit log: who did what, to what, and from where; newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type AuditRecord, auditQuery } from '../../api/audit.ts';
import { Person } from '../../names/person.tsx';
import { settingName } from '../../names/setting-names.ts';
import { wordsOf } from '../../parts/format.ts';
import { Answered, Empty } from '../../parts/states.tsx';
import { LocalTime } from '../../parts/time.tsx';
import { Values } from './change-preview.tsx';
import { RecordTable } from './record-table.tsx';
import { shownValue } from './value-text.ts';

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

function Row({ record: { time, who, from, action, target, detail } }: { record: AuditRecord }): ReactNode {
  return (
    <tr>
      <td className="whole">
        <LocalTime at={time} />
      </td>
      <td className="whole">
        <Person who={who} /> <span className="muted">({from})</span>
      </td>
      <td className="whole" title={action}>
        {actionText(action)}
      </td>
      <td>{targetText(target)}</td>
      <td>
        <Detail detail={detail} />
      </td>
    </tr>
  );
}

/** `config.changed` → `Settings changed`, `nodeToken.made` → `Node token made`. */
function actionText(action: string): string {
  return wordsOf(action.replace(/^config\b/, 'settings').replace(/\.(\w)/g, (_, first: string) => first.toUpperCase()));
}

/** Settings are named as their fields are. */
function targetText(target: string): string {
  return target.split(',').map(settingName).join(', ');
}

/** Changed settings with their old and new values; all else as it was recorded. */
function Detail({ detail }: { detail: AuditRecord['detail'] }): ReactNode {
  const { changes, version, ...others } = detail;
  if (!isChanges(changes)) return detailText(detail);
  return (
    <>
      {Object.entries(changes).map(([path, { old, new: next }]) => (
        <div key={path} title={path}>
          {settingName(path)}: <Values before={shownValue(old)} after={shownValue(next)} />
        </div>
      ))}
      {detailText(others)}
    </>
  );
}

function isChanges(
  value: unknown,
): value is Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((change) => typeof change === 'object' && change !== null && 'new' in change)
  );
}

function detailText(detail: AuditRecord['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
