/** First on the page: what needs somebody's attention, or that nothing does. */
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { countText, unbroken } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { localText } from '../../parts/time.tsx';
import type { AttentionRow } from './attention.ts';
import { useAttention } from './use-attention.ts';

export function AttentionList(): ReactNode {
  const { rows, missing, isPending } = useAttention();
  const reserved = useKeptHeight(missing.length === 0);
  return (
    <section className="attention" aria-labelledby="attention" {...reserved}>
      <h2 id="attention">
        Needs attention {rows.length > 0 ? <span className="tab-count">{countText(rows.length)}</span> : null}
      </h2>
      {rows.length > 0 ? (
        <ul>
          {rows.map((row) => (
            <Row key={row.key} row={row} />
          ))}
        </ul>
      ) : null}
      <div className="attention-end">
        {/* Reserves its place while it is not known, so that the page below stays where it is. */}
        <p className={missing.length > 0 ? 'attention-clear attention-reserved' : 'attention-clear'}>
          {rows.length === 0 ? (
            <>
              <strong>All clear.</strong> No job is stranded, none failed and no node was lost in the last hour, every
              node is on time, and the server is healthy.
            </>
          ) : (
            'Nothing else needs attention.'
          )}
        </p>
        {missing.length > 0 ? (
          <p className="attention-note" role="status">
            {isPending ? 'Checking' : 'Could not check'} {missing.join(', ')}
            {isPending ? '…' : '.'}
          </p>
        ) : null}
      </div>
    </section>
  );
}

const HEIGHT = 'cairn.attention-px';

/**
 * While not all is known, the list is as high as it was when all was known last: rows that come late do not push down the page.
 * `isWhole`: whether all is known.
 */
function useKeptHeight(isWhole: boolean) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const { current } = ref;
    if (!current || !isWhole) return undefined;
    const watch = new ResizeObserver(() => keep(String(current.getBoundingClientRect().height)));
    watch.observe(current);
    return () => watch.disconnect();
  }, [isWhole]);
  const [minHeight] = useState(() => Number(kept()));
  return { ref, style: isWhole || !(minHeight > 0) ? undefined : { minHeight } };
}

// A browser may refuse to keep anything; then rows that come late push the page down.
function kept(): string | null {
  try {
    return sessionStorage.getItem(HEIGHT);
  } catch {
    return null;
  }
}

function keep(height: string): void {
  try {
    sessionStorage.setItem(HEIGHT, height);
  } catch {}
}

/** `1 h 20 m` is not parted by the end of a line. */
const SPAN = /\d+ [dhms]\b( \d+ [hms]\b)?/g;

/** What is read first: a count, or the job that it is about. */
const LEAD = /^(?:All )?[\d,]+(?: of [\d,]+)?/;

function Row({ row }: { row: AttentionRow }): ReactNode {
  const { severity, text, link } = row;
  const id = link.to === '/job' ? link.search.id : '';
  const lead = id !== '' && text.startsWith(id) ? id : (LEAD.exec(text)?.[0] ?? '');
  return (
    <li className={`attention-${severity}`}>
      <Link to={link.to} search={link.search}>
        <Icon name={severity === 'critical' ? 'critical' : 'failed'} />
        <span className="hidden">{severity}: </span>
        <span className="attention-text">
          {lead === '' ? null : <strong>{lead}</strong>}
          {text.slice(lead.length).replace(SPAN, unbroken)}
        </span>
        <span className="attention-stake">{stakeText(row)}</span>
        <span className="attention-go" aria-hidden="true">
          →
        </span>
      </Link>
    </li>
  );
}

/** `18 h unsaved`, `since 09:47`, `latest 15:41`. */
function stakeText({ stake, since, latest }: AttentionRow): string {
  const parts = [
    stake?.replace(SPAN, unbroken),
    since && `since ${timeText(since)}`,
    latest && `latest ${timeText(latest)}`,
  ];
  return parts.filter(Boolean).join(' · ');
}

/** `09:47` of today, `2026-11-21` of a day before. */
function timeText(at: string): string {
  const [day = '', time = ''] = localText(at).split(' ');
  const [today] = localText(new Date().toISOString()).split(' ');
  return day === today ? time.slice(0, 5) : day;
}
