/** What the job cost and saved on each node, with the formulas. */
import { type ReactNode, useMemo } from 'react';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { eventsOfRun, hasRun, isTerminal } from '../../../../src/protocol/names/job-status.ts';
import { isSpot } from '../../../../src/protocol/names/pay-type.ts';
import { timedEvents } from '../../../../src/protocol/run-segments.ts';
import { epochNsOfMs } from '../../../../src/protocol/timestamp.ts';
import { NodeLink } from '../../names/node-link.tsx';
import { RUN_TICK_MS, useNowMs } from '../../parts/clock.ts';
import { columnPriceText, countText, moneyText, priceText, spanText } from '../../parts/format.ts';
import { StackTable } from '../../parts/stack-table.tsx';
import { costsOf, NOTHING, type NodeCost, notRepeatedText, UNKNOWN } from './job-cost.ts';
import type { JobNode } from './job-nodes.ts';
import { restoredInLaterRun } from './runs.ts';

interface CostTableProps {
  readonly job: JobDetail;
  readonly nodes: readonly JobNode[];
  /** Until when it ran, if its node is gone. */
  readonly goneMs: number | undefined;
}

/** Of a job without run time. */
function nothingText({ status, events }: JobDetail): string {
  if (hasRun(eventsOfRun(events))) return 'How long the job ran is not known: nothing was reported since it began.';
  return isTerminal(status) ? 'The job never ran.' : 'The job has not run yet.';
}

export function CostTable({ job, nodes, goneMs }: CostTableProps): ReactNode {
  const nowMs = useNowMs(RUN_TICK_MS);
  const untilMs = Math.min(nowMs, goneMs ?? nowMs);
  const rows = useMemo(() => costRows(job, nodes, untilMs), [job, nodes, untilMs]);
  const prices = rows.flatMap(({ price }) => [price?.price, price?.onDemandPrice].flatMap((usd) => usd ?? []));
  // A job that was run again from scratch has what each run cost.
  const runs = [...new Set(rows.map(({ run }) => run))];
  return (
    <section className="panel" aria-labelledby="cost">
      <h2 id="cost">Cost and savings</h2>
      {rows.length === 0 ? (
        <p className="muted">{nothingText(job)}</p>
      ) : (
        <>
          <StackTable label="Cost and savings" className="wrapped-heads cost-table">
            <thead>
              <tr>
                <th scope="col">Node</th>
                <th scope="col">Ran</th>
                <th scope="col">Price an hour</th>
                <th scope="col">On demand</th>
                <th scope="col">Cost</th>
                <th scope="col">Saved by spot</th>
                <th scope="col">Work not repeated</th>
                <th scope="col">Saved by restore</th>
              </tr>
            </thead>
            {runs.map((run) => (
              <RunRows
                key={run}
                run={runs.length > 1 ? run : null}
                rows={rows.filter((row) => row.run === run)}
                prices={prices}
              />
            ))}
            <tfoot>
              <SumRow label={isTerminal(job.status) ? 'Total' : 'Total so far'} rows={rows} />
            </tfoot>
          </StackTable>
          <EarlierRuns events={job.events} />
          <Formulas />
        </>
      )}
    </section>
  );
}

interface RunRowsProps {
  /** Its number; null of the only one. */
  readonly run: number | null;
  readonly rows: readonly NodeCost[];
  readonly prices: readonly number[];
}

function RunRows({ run, rows, prices }: RunRowsProps): ReactNode {
  return (
    <tbody>
      {run === null ? null : <SumRow label={`Run ${countText(run)}`} rows={rows} />}
      {rows.map((row) => (
        <CostRow key={row.nodeOid} row={row} prices={prices} />
      ))}
    </tbody>
  );
}

/** Of a run, or of the whole job. */
function SumRow({ label, rows }: { label: string; rows: readonly NodeCost[] }): ReactNode {
  const sum = (of: (row: NodeCost) => number): number => rows.reduce((total, row) => total + of(row), 0);
  const savedSeconds = sum((row) => row.timeSavedSeconds);
  const isUntold = rows.some((row) => row.isUntold);
  // Where no node told its price, a sum of 0 would look like a figure.
  const isPriced = rows.some((row) => row.price?.price !== undefined);
  const cost = isPriced ? moneyText(sum((row) => row.cost)) : UNKNOWN;
  // A node without a price is left out of a sum, which then is at least so much.
  const isPart = rows.some(({ price, runSeconds }) => price?.price === undefined && runSeconds > 0);
  const isPartRestored =
    isUntold || rows.some(({ price, timeSavedSeconds }) => price?.price === undefined && timeSavedSeconds > 0);
  const bySpot = sumText(
    sum((row) => row.savedBySpot),
    rows.some(isUnknownBySpot),
  );
  const byRestore = sumText(
    sum((row) => row.savedByRestore),
    isPartRestored,
  );
  return (
    <tr className="cost-sum">
      <th scope="row">{label}</th>
      <td data-label="Ran">{spanText(sum((row) => row.runSeconds))}</td>
      <td />
      <td />
      <td data-label="Cost">{isPriced && isPart ? `≥ ${cost}` : cost}</td>
      <td data-label="Saved by spot">{bySpot}</td>
      <RestoredCells
        notRepeated={notRepeatedText(savedSeconds, isUntold)}
        byRestore={savedSeconds > 0 || isUntold ? byRestore : NOTHING}
      />
    </tr>
  );
}

/** Where nothing was restored, a phone leaves them out. */
function RestoredCells({ notRepeated, byRestore }: { notRepeated: string; byRestore: string }): ReactNode {
  return (
    <>
      <td data-label="Work not repeated" className={notRepeated === NOTHING ? 'nothing' : undefined}>
        {notRepeated}
      </td>
      <td data-label="Saved by restore" className={byRestore === NOTHING ? 'nothing' : undefined}>
        {byRestore}
      </td>
    </>
  );
}

/** Where the metrics say more than the rows of a run. */
function EarlierRuns({ events }: Pick<JobDetail, 'events'>): ReactNode {
  if (!restoredInLaterRun(events)) return null;
  return (
    <p className="muted small">
      Work not repeated is that of each run. The metrics of the queue also count run time of the runs before it.
    </p>
  );
}

function Formulas(): ReactNode {
  return (
    <details className="muted small">
      <summary>How it is computed</summary>
      <ul className="formulas">
        <li>cost = run time × price of the node that ran it</li>
        <li>saved by spot = run time on Spot nodes × (on-demand price − price)</li>
        <li>
          work not repeated = run time in each restored checkpoint: what several restores had in common counts each
          time, and may add up to more than the job ran
        </li>
        <li>saved by restore = run time in the restored checkpoint × price of the node that restored it</li>
        <li>
          nodes that report no price, and restored checkpoints that were not reported, are left out of the sums, which
          then say ≥: at least so much
        </li>
        <li>each figure is rounded by itself: the rows may add up to a cent or a minute more or less than the total</li>
      </ul>
    </details>
  );
}

/** `isPart`: whether some of it is not known. */
function sumText(usd: number, isPart: boolean): string {
  if (!isPart) return moneyText(usd);
  return usd > 0 ? `≥ ${moneyText(usd)}` : UNKNOWN;
}

/** A price alone does not tell what the same machine costs on demand; a machine that is no Spot one saves nothing by that. */
function isUnknownBySpot({ price }: NodeCost): boolean {
  return !price || (price.isSpot && (price.price === undefined || price.onDemandPrice === undefined));
}

function CostRow({ row, prices }: { row: NodeCost; prices: readonly number[] }): ReactNode {
  const { price } = row;
  const perHour = (usd: number | undefined): string => (usd === undefined ? UNKNOWN : columnPriceText(usd, prices));
  // Its price is the one on demand.
  const isDear = price?.isSpot === false && price.onDemandPrice === undefined;
  const priced = (usd: number): string => (price?.price === undefined ? UNKNOWN : moneyText(usd));
  return (
    <tr>
      <th scope="row">
        <span className="cost-node">
          {row.nodeOid === '' ? 'no node' : <NodeLink oid={row.nodeOid} />}
          {price?.isSpot ? <span className="badge">Spot</span> : null}
        </span>
        {/* Where its columns have no room. */}
        <span className="cost-prices">{pricesText(price)}</span>
      </th>
      <td data-label="Ran">{spanText(row.runSeconds)}</td>
      <td data-label="Price an hour" className="an-hour">
        {perHour(price?.price)}
      </td>
      <td data-label="On demand" className="an-hour">
        {isDear ? NOTHING : perHour(price?.onDemandPrice)}
      </td>
      <td data-label="Cost">{priced(row.cost)}</td>
      <td data-label="Saved by spot">{isUnknownBySpot(row) ? UNKNOWN : moneyText(row.savedBySpot)}</td>
      <RestoredCells
        notRepeated={notRepeatedText(row.timeSavedSeconds, row.isUntold)}
        byRestore={
          row.isUntold
            ? sumText(row.savedByRestore, true)
            : row.timeSavedSeconds > 0
              ? priced(row.savedByRestore)
              : NOTHING
        }
      />
    </tr>
  );
}

/** `$0.0653 an hour, $0.1971 on demand` */
function pricesText(price: NodeCost['price']): string {
  if (price?.price === undefined) return 'Its price is unknown';
  const onDemand = price.onDemandPrice === undefined ? '' : `, ${priceText(price.onDemandPrice)} on demand`;
  return `${priceText(price.price)} an hour${onDemand}`;
}

function costRows(job: JobDetail, nodes: readonly JobNode[], untilMs: number): NodeCost[] {
  const prices = new Map(
    nodes.flatMap(({ nodeOid, node }) =>
      node
        ? [
            [
              nodeOid,
              {
                isSpot: isSpot(node.instance.payType),
                price: node.instance.pricePerHour,
                onDemandPrice: node.instance.onDemandPricePerHour,
              },
            ] as const,
          ]
        : [],
    ),
  );
  return costsOf(timedEvents(job.events), prices, epochNsOfMs(untilMs));
}
