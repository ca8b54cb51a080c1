/** First on the page: what needs somebody's attention, or that nothing does. */
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { countText, unbroken } from '../../../parts/format.ts';
import { Icon } from '../../../parts/icon.tsx';
import { useSettled } from '../../../parts/settled.ts';
import { localText, useAge, withMoments } from '../../../parts/time.tsx';
import type { AttentionRow } from './attention-row.ts';
import { unsavingNotice, useAttention } from './use-attention.ts';

export function AttentionList(): ReactNode {
  const { rows, missing, asking } = useAttention();
  // What is asked again, as the reason of a new failure, leaves it known.
  const isWhole = useSettled(asking > 0);
  const { isFirst, slots } = useFirstDrawing(rows, isWhole ? 0 : asking);
  const reserved = useReservedHeight(isWhole, isFirst);
  return (
    <section className="attention" aria-labelledby="attention" {...reserved}>
      <div className="attention-head">
        <h2 id="attention">
          Needs attention{' '}
          {isWhole && rows.length > 0 ? <span className="tab-count">{countText(rows.length)}</span> : null}
        </h2>
        {missing.length > 0 ? (
          <p className={asking > 0 ? 'attention-note attention-asking' : 'attention-note'} role="status">
            {asking > 0 ? 'Checking' : 'Could not check'}
            <span className="attention-names"> {missing.join(', ')}</span>
            {asking > 0 ? '…' : '.'}
          </p>
        ) : null}
      </div>
      {rows.length > 0 || !isWhole ? (
        <ul>
          {rows.map((row) => (
            <Row key={row.key} row={row} />
          ))}
          {isWhole ? null : <Slots count={slots - rows.length} />}
        </ul>
      ) : null}
      {rows.length === 0 ? (
        // Reserves its place while it is not known, so that the page below stays where it is.
        <p className={missing.length > 0 ? 'attention-clear attention-reserved' : 'attention-clear'}>
          <strong>All clear.</strong> No job is stranded, none failed and no node was lost in the last hour, every node
          is on time, and the server is healthy.
        </p>
      ) : null}
    </section>
  );
}

/** In place of rows that may come. */
function Slots({ count }: { count: number }): ReactNode {
  return Array.from({ length: Math.max(0, count) }, (_, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: they are alike
    <li key={i} aria-hidden="true">
      <span>
        <span className="pending" />
        <span className="attention-text">
          <span className="pending" />
        </span>
      </span>
    </li>
  ));
}

/** Each answer that is late seldom adds a row. */
const SLOTS_MAX = 4;

/** From before all was known until something changes then. `slots`: the rows that there was room for. */
function useFirstDrawing(rows: readonly AttentionRow[], asking: number) {
  const keys = rows.map(({ key }) => key).join();
  const [slots] = useState(rows.length + Math.min(asking, SLOTS_MAX));
  const [whole, setWhole] = useState<string>();
  const [isFirst, setFirst] = useState(true);
  if (isFirst && whole === undefined && asking === 0) setWhole(keys);
  if (isFirst && whole !== undefined && whole !== keys) setFirst(false);
  return { isFirst, slots };
}

const HEIGHT = 'cairn.attention-px';

/**
 * A list that is drawn before all is known has room for what may come, and as much as it took when all was known last: what comes
 * late does not push down the page, nor does what stays away pull it up.
 */
function useReservedHeight(isWhole: boolean, isFirst: boolean) {
  const ref = useRef<HTMLElement>(null);
  const [minHeight, setMinHeight] = useState(() => (isWhole ? 0 : Number(kept())));
  useLayoutEffect(() => {
    const height = ref.current?.getBoundingClientRect().height ?? 0;
    if (!isWhole && isFirst) setMinHeight((before) => Math.max(before, height));
  }, [isWhole, isFirst]);
  const isReserved = useUntilStill(isWhole) && isFirst && minHeight > 0;
  useEffect(() => {
    const { current } = ref;
    if (!current || !isWhole || isReserved) return undefined;
    const watch = new ResizeObserver(() => keep(String(current.getBoundingClientRect().height)));
    watch.observe(current);
    return () => watch.disconnect();
  }, [isWhole, isReserved]);
  return { ref, style: isReserved ? { minHeight } : undefined };
}

/** Of a hand that rests, milliseconds: what moves then moves under no click. */
const STILL_MS = 3_000;

/** True until all is known and the reader's hand rests, or he scrolls. */
function useUntilStill(isWhole: boolean): boolean {
  const [isStill, setStill] = useState(false);
  useEffect(() => {
    if (!isWhole || isStill) return undefined;
    const rest = (): void => setStill(true);
    let timer = window.setTimeout(rest, STILL_MS);
    const wait = (): void => {
      window.clearTimeout(timer);
      timer = window.setTimeout(rest, STILL_MS);
    };
    document.addEventListener('pointermove', wait);
    document.addEventListener('scroll', rest);
    return () => {
      window.clearTimeout(timer);
      document.removeEventListener('pointermove', wait);
      document.removeEventListener('scroll', rest);
    };
  }, [isWhole, isStill]);
  return !isStill;
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

/** What is read first: a count, or the job or the webhook that it is about, whose name may be a word. */
const LEAD = /(?<=^Webhook )\S+|^(?:All )?[\d,]+(?: of [\d,]+)?/;

function Row({ row }: { row: AttentionRow }): ReactNode {
  const { severity, text, link } = row;
  const id = link.to === '/job' ? link.search.id : '';
  const isOfJob = id !== '' && text.startsWith(id);
  const found = isOfJob ? null : LEAD.exec(text);
  const lead = isOfJob ? id : (found?.[0] ?? '');
  const at = found?.index ?? 0;
  return (
    <li className={`attention-${severity}${row.isHideable ? ' attention-hideable' : ''}`}>
      <Link to={link.to} search={link.search}>
        <Icon name={severity === 'critical' ? 'critical' : 'failed'} />
        <span className="hidden">{severity}: </span>
        <span className="attention-text">
          {text.slice(0, at)}
          {lead === '' ? null : <strong>{lead}</strong>}
          {withMoments(text.slice(at + lead.length)).replace(SPAN, unbroken)}
        </span>
        <Stake row={row} />
        <span className="attention-go" aria-hidden="true">
          →
        </span>
      </Link>
      {row.isHideable ? (
        <button
          type="button"
          className="attention-hide compact"
          aria-label="Do not show this again"
          title="Do not show this again"
          onClick={() => unsavingNotice.choose('hidden')}
        >
          ×
        </button>
      ) : null}
    </li>
  );
}

/** `18 h unsaved`, `for 2 h 10 m`, `latest 7 m ago`; the moment itself on hover. */
function Stake({ row: { stake, since, latest, heard } }: { row: AttentionRow }): ReactNode {
  const parts = [
    stake?.replace(SPAN, unbroken),
    since && <When at={since} before="for " />,
    latest && <When at={latest} before="latest " after=" ago" />,
    heard && <When at={heard} before="last event " after=" ago" />,
  ].filter(Boolean);
  return (
    <span className="attention-stake">
      {parts.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and do not move
        <Fragment key={i}>
          {i === 0 ? null : ' · '}
          {part}
        </Fragment>
      ))}
    </span>
  );
}

function When({ at, before, after = '' }: { at: string; before: string; after?: string }): ReactNode {
  return (
    <time dateTime={at} title={localText(at)}>
      {before}
      {unbroken(useAge(at))}
      {after}
    </time>
  );
}
