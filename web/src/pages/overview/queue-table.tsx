/** One row a queue: what it did in the range and what runs in it now. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Summary } from '../../../../src/protocol/metric.ts';
import { queuesQuery } from '../../api/queries.ts';
import { countText, decimalText, moneyText } from '../../parts/format.ts';
import { Empty } from '../../parts/states.tsx';
import { type QueueTotals, queueTotals } from './totals.ts';

export function QueueTable({ summary, rangeLabel }: { summary: Summary; rangeLabel: string }): ReactNode {
  const { data } = useQuery(queuesQuery);
  const running = new Map(data?.map(({ name, phases }) => [name, phases.running]));
  const rows = queueTotals(summary);
  return (
    <section className="panel" aria-labelledby="queues">
      <h2 id="queues">
        Queues <span className="muted">in {rangeLabel}</span>
      </h2>
      {rows.length === 0 ? (
        <Empty title="No job ended or began in this range" />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard
        <section className="scroll" tabIndex={0} aria-label="Queues, table">
          <table>
            <thead>
              <tr>
                <th scope="col">Queue</th>
                <th scope="col">Running</th>
                <th scope="col">Submitted</th>
                <th scope="col">Protections</th>
                <th scope="col">Core-h</th>
                <th scope="col">Cost</th>
                <th scope="col">Saved by spot</th>
                <th scope="col">Saved by restore</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <QueueRow key={row.queue} row={row} running={running.get(row.queue) ?? 0} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}

function QueueRow({ row, running }: { row: QueueTotals; running: number }): ReactNode {
  const value = (name: string): number => row.values.get(name) ?? 0;
  return (
    <tr>
      <th scope="row">
        <Link to="/jobs" search={{ queue: row.queue }}>
          {row.queue}
        </Link>
      </th>
      <td>{countText(running)}</td>
      <td>{countText(value('jobSubmitted'))}</td>
      <td>{countText(value('spotProtection'))}</td>
      <td>{decimalText(value('coreTime') / 3600)}</td>
      <td>{moneyText(value('jobCost'))}</td>
      <td>{moneyText(value('onDemandSavings'))}</td>
      <td>{moneyText(value('spotSavings'))}</td>
    </tr>
  );
}
