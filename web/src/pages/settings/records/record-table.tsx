/**
 * The frame of a long table of what was done. In a narrow window a row is a stack: what it is about (`record-title`), then
 * `record-detail` over the whole width, and when and by whom (`record-meta`) small.
 */
import type { ReactNode } from 'react';
import { zoneText } from '../../../parts/time.tsx';

interface RecordTableProps {
  readonly label: string;
  readonly headings: readonly string[];
  /** Rows of the table. */
  readonly children: ReactNode;
  /** Below the table. */
  readonly end?: ReactNode;
}

export function RecordTable({ label, headings, children, end }: RecordTableProps): ReactNode {
  return (
    <div className="panel panel-table">
      <RecordsZone />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard */}
      <section className="scroll" tabIndex={0} aria-label={label}>
        <table className="text records">
          <thead>
            <tr>
              {headings.map((heading) => (
                <th key={heading} scope="col">
                  {heading}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      </section>
      {end}
    </div>
  );
}

/** The zone of the times, which a stack has no headings for. */
export function RecordsZone(): ReactNode {
  return <p className="records-zone muted small">Times are in {zoneText()}.</p>;
}
