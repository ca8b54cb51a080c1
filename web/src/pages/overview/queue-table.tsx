/** One row a queue: what is in it now, and what it did in the range. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Summary } from '../../../../src/protocol/metric.ts';
import type { Phase } from '../../../../src/protocol/phase.ts';
import type { Queue } from '../../../../src/protocol/queue.ts';
import { queuesQuery } from '../../api/queries.ts';
import { countText, decimalText, moneyText } from '../../parts/format.ts';
import { Empty } from '../../parts/states.tsx';
import { knownUsd, type QueueTotals, queueTotals } from './totals.ts';

export function QueueTable({ summary, rangeLabel }: { summary: Summary; rangeLabel: string }): ReactNode {
  const { data } = useQuery(queuesQuery);
  const rows = rowsOf(data ?? [], queueTotals(summary));
  return (
    <section className="panel" aria-labelledby="queues">
      <h2 id="queues">
        Queues <span className="muted">in {rangeLabel}</span>
      </h2>
      {rows.length === 0 ? (
        <Empty title="No queues yet: a queue appears with its first job" />
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reached by the keyboard
        <section className="scroll" tabIndex={0} aria-label="Queues, table">
          <table>
            <thead>
              <tr>
                <th scope="col">Queue</th>
                <th scope="col">Running</th>
                <th scope="col">Starting</th>
                <th scope="col">Stranded</th>
                <th scope="col">Failed</th>
                <th scope="col">Submitted</th>
                <th scope="col">Restores</th>
                <th scope="col">Core-hours</th>
                <th scope="col">Cost</th>
                <th scope="col">Saved by spot</th>
                <th scope="col">Saved by restore</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <QueueRow key={row.name} row={row} />
              ))}
            </tbody>
          </table>
        </section>
      )}
    </section>
  );
}

interface Row {
  readonly name: string;
  /** Undefined where the queue has no job any more, or while the queues are asked for. */
  readonly phases: Queue['phases'] | undefined;
  readonly values: QueueTotals['values'];
}

/** Queues that have jobs, and those that had some in the range. */
function rowsOf(queues: readonly Queue[], totals: readonly QueueTotals[]): Row[] {
  const phases = new Map(queues.map((queue) => [queue.name, queue.phases]));
  const values = new Map(totals.map((total) => [total.queue, total.values]));
  const names = [...new Set([...phases.keys(), ...values.keys()])].sort();
  return names.map((name) => ({ name, phases: phases.get(name), values: values.get(name) ?? new Map() }));
}

function QueueRow({ row: { name, phases, values } }: { row: Row }): ReactNode {
  const value = (metric: string): number => values.get(metric) ?? 0;
  const money = (metric: string, amount: string): string => {
    const usd = knownUsd(value(metric), value('jobCost') > 0 ? 0 : value(amount));
    return usd === undefined ? 'Unknown' : moneyText(usd);
  };
  const jobs = (phase: Phase): ReactNode => {
    const count = phases?.[phase] ?? 0;
    if (count === 0) return <span className="muted">0</span>;
    return (
      <Link to="/jobs" search={{ queue: name, phase }}>
        {countText(count)}
      </Link>
    );
  };
  return (
    <tr>
      <th scope="row">
        <Link to="/queue" search={{ name }}>
          {name}
        </Link>
      </th>
      <td>{jobs('running')}</td>
      <td>{jobs('starting')}</td>
      <td>{jobs('stranded')}</td>
      <td>{jobs('failed')}</td>
      <td>{countText(value('jobSubmitted'))}</td>
      <td>{countText(value('spotProtection'))}</td>
      <td>{decimalText(value('coreTime') / 3600)}</td>
      <td>{money('jobCost', 'coreTime')}</td>
      <td>{money('onDemandSavings', 'coreTime')}</td>
      <td>{money('spotSavings', 'timeSaved')}</td>
    </tr>
  );
}
