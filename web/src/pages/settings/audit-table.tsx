/** The audit log: who did what, to what, and from where; newest first. */
import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type AuditRecord, auditQuery } from '../../api/audit.ts';
import { Answered, Empty } from '../../parts/states.tsx';
import { LocalTime } from '../../parts/time.tsx';

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
          <div className="panel">
            <p className="muted">Every change that somebody made, newest first.</p>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard */}
            <section className="scroll" tabIndex={0} aria-label="Audit log">
              <table className="text">
                <thead>
                  <tr>
                    <th scope="col">When</th>
                    <th scope="col">Who</th>
                    <th scope="col">From</th>
                    <th scope="col">Action</th>
                    <th scope="col">Target</th>
                    <th scope="col">Detail</th>
                  </tr>
                </thead>
                <tbody>
                  {records.map((record) => (
                    <Row key={record.seq} record={record} />
                  ))}
                </tbody>
              </table>
            </section>
            {hasNextPage ? (
              <button type="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Show older
              </button>
            ) : null}
          </div>
        )
      }
    </Answered>
  );
}

function Row({ record: { time, who, from, action, target, detail } }: { record: AuditRecord }): ReactNode {
  return (
    <tr>
      <td>
        <LocalTime at={time} />
      </td>
      <td>{who}</td>
      <td>{from}</td>
      <td>
        <code>{action}</code>
      </td>
      <td>{target}</td>
      <td>{detailText(detail)}</td>
    </tr>
  );
}

function detailText(detail: AuditRecord['detail']): string {
  return Object.entries(detail)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
