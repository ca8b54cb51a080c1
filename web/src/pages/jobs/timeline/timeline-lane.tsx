/** One lane of a job's timeline: what it did on one node. A drag over it chooses a stretch of time. */
import { type CSSProperties, type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useState } from 'react';
import { NodeLink } from '../../../names/node-link.tsx';
import { spanText, wordsOf } from '../../../parts/format.ts';
import { localText, withHyphens } from '../../../parts/time.tsx';
import { timeZone } from '../../../preferences/preferences.ts';
import { momentText } from '../../../range/moment-text.ts';
import { type Mark, type MarkPlace, placesOf } from './marks.ts';
import { type Lane as LaneOfNode, PHASES, phaseText, type Span } from './timeline.ts';
import { type Drag, pointerShare } from './use-drag.ts';
import type { Sight } from './zoom.ts';

/** Place of a moment as a share of the width, from the left. */
export function shareOf(ms: number, { startMs, endMs }: Sight): number {
  return Math.min(1, Math.max(0, (ms - startMs) / Math.max(1, endMs - startMs)));
}

/** `2026-01-31 02:03 – 02:58 (55 m)`, in the reader's zone. */
export function stretchText({ startMs, endMs }: Sight): string {
  const zone = timeZone.current();
  // Both ends are as exact as each other.
  const withSeconds = [startMs, endMs].some((ms) => Math.floor(ms / 1_000) % 60 !== 0);
  const [from, to] = [momentText(startMs, zone, withSeconds), momentText(endMs, zone, withSeconds)];
  // The second date is said where it is another one.
  const until = to.slice(0, 10) === from.slice(0, 10) ? to.slice(11) : to;
  return `${from} – ${until} (${spanText((endMs - startMs) / 1000)})`;
}

/** What marks do; the same for all lanes. With the number of the mark's event. */
export interface Marking {
  readonly onChoose: (index: number) => void;
  /** Which one the Tab key reaches. */
  readonly stop: number | undefined;
  readonly onStop: (index: number) => void;
  readonly onKey: (event: KeyboardEvent<HTMLElement>) => void;
}

interface LaneProps {
  readonly lane: LaneOfNode;
  /** As far as they are drawn. */
  readonly drawn: readonly Span[];
  readonly marks: readonly Mark[];
  readonly sight: Sight;
  /** Milliseconds since 1970. */
  readonly ticks: readonly number[];
  readonly marking: Marking;
  /** One for all lanes: the stretch that is chosen is seen on each. */
  readonly drag: Drag;
}

export function Lane({ lane: { nodeOid, spans }, drawn, marks, sight, ticks, marking, drag }: LaneProps): ReactNode {
  const { startMs, endMs } = sight;
  const lengthMs = endMs - startMs;
  const [pointed, setPointed] = usePointed();
  const left = (ms: number): string => `${100 * shareOf(ms, sight)}%`;
  const places = placesOf(marks.map(({ atMs }) => shareOf(atMs, sight)));
  const [told, setTold] = useState<number>();
  const markTold = marks.findIndex(({ index }) => index === told);
  const atMs = pointed === undefined || drag.at ? undefined : startMs + pointed * lengthMs;
  const under = atMs === undefined ? undefined : spans.findLast((span) => span.startMs <= atMs && atMs < span.endMs);
  return (
    <div className="lane">
      <div className="lane-name">{nodeOid === '' ? 'no node' : <NodeLink oid={nodeOid} />}</div>
      {/* On a mark a drag may begin as well. */}
      <div
        className="lane-track-holder"
        onPointerDown={(event) => {
          drag.handlers.onPointerDown(event);
          // A second finger points at nothing.
          if (event.isPrimary) setPointed(pointerShare(event));
        }}
        onPointerMove={(event) => {
          drag.handlers.onPointerMove(event);
          // A finger tells what it taps.
          if (event.pointerType !== 'touch') setPointed(pointerShare(event));
        }}
        onPointerUp={(event) => {
          // It would tell of what was there before.
          if (drag.at) setPointed(undefined);
          drag.handlers.onPointerUp(event);
        }}
        // A finger that is lifted leaves as well, and what it tapped is read then.
        onPointerLeave={({ pointerType }) => pointerType === 'touch' || setPointed(undefined)}
        onPointerCancel={() => {
          drag.giveUp();
          setPointed(undefined);
        }}
      >
        <div className="lane-track" role="img" aria-label={`${nodeOid || 'no node'}: ${laneText(spans)}`}>
          {ticks.map((ms) => (
            <span key={ms} className="lane-tick" style={{ left: left(ms) }} />
          ))}
          {drawn.map((span) => (
            <span key={span.startMs} className={`span span-${span.phase}`} style={placed(span, sight)} />
          ))}
          {drag.at ? (
            <span
              className="lane-zoom"
              style={{ left: `${100 * drag.at.from}%`, width: `${100 * (drag.at.to - drag.at.from)}%` }}
            />
          ) : null}
        </div>
        {under && markTold < 0 && pointed !== undefined ? (
          <div className="lane-tip" style={tipAt(`${100 * pointed}%`)}>
            <strong>{wordsOf(phaseText(under.phase))}</strong> {withHyphens(stretchText(under))}
          </div>
        ) : null}
        {marks.map((mark, i) => (
          <MarkButton key={mark.index} {...{ mark, marking }} place={places[i] as MarkPlace} onTell={setTold} />
        ))}
        {markTold < 0 ? null : <MarkTip mark={marks[markTold] as Mark} left={places[markTold]?.left ?? ''} />}
      </div>
    </div>
  );
}

/** Where the lane is pointed at, as a share of its width. Where a finger tapped stays until another tap, anywhere. */
function usePointed(): [number | undefined, (share: number | undefined) => void] {
  const [pointed, setPointed] = useState<number>();
  const isPointed = pointed !== undefined;
  useEffect(() => {
    if (!isPointed) return undefined;
    const leave = ({ pointerType }: globalThis.PointerEvent): void => {
      if (pointerType === 'touch') setPointed(undefined);
    };
    // Before the lane that is tapped hears of it.
    document.addEventListener('pointerdown', leave, true);
    return () => document.removeEventListener('pointerdown', leave, true);
  }, [isPointed]);
  return [pointed, setPointed];
}

/** `left`: of what it tells of, as a length of a style sheet. */
function tipAt(left: string): CSSProperties {
  return { left, '--at': left } as CSSProperties;
}

/** The style sheet places it, at whole pixels. */
function placed({ startMs, endMs }: Span, sight: Sight): CSSProperties {
  const percent = (ms: number): string => `${100 * shareOf(ms, sight)}%`;
  return { '--from': percent(startMs), '--to': percent(endMs) } as CSSProperties;
}

interface MarkButtonProps {
  readonly mark: Mark;
  readonly place: MarkPlace;
  readonly marking: Marking;
  /** With the number of the event that is pointed at, or has the keyboard. */
  readonly onTell: (index: number | undefined) => void;
}

function MarkButton({ mark, place, marking, onTell }: MarkButtonProps): ReactNode {
  const parts = [mark.label, localText(new Date(mark.atMs).toISOString()), mark.why];
  const tell = (): void => {
    marking.onStop(mark.index);
    onTell(mark.index);
  };
  const stop = (): void => onTell(undefined);
  const indexAt = (event: MouseEvent): number => Number(nearestMark(event).dataset['index']);
  return (
    <button
      type="button"
      className={`mark mark-${mark.kind}`}
      style={{ left: place.left, '--level': place.level } as CSSProperties}
      data-index={mark.index}
      data-at={mark.atMs}
      aria-label={`${parts.filter(Boolean).join(', ')}: show the event`}
      tabIndex={mark.index === marking.stop ? 0 : -1}
      onClick={(event) => marking.onChoose(indexAt(event))}
      onKeyDown={marking.onKey}
      onPointerDown={(event) => {
        const nearest = nearestMark(event);
        if (nearest === event.currentTarget) return;
        event.preventDefault();
        nearest.focus();
      }}
      onPointerMove={(event) => onTell(indexAt(event))}
      onPointerLeave={stop}
      onFocus={tell}
      onBlur={stop}
    />
  );
}

/** What answers reaches beyond what is drawn, for fingers: of marks that are near, the one whose middle is nearest. By a key it is that one. */
function nearestMark({ currentTarget, clientX, clientY, detail, type }: MouseEvent): HTMLElement {
  const own = currentTarget as HTMLElement;
  if (type === 'click' && detail === 0) return own;
  const marks = [...(own.parentElement?.querySelectorAll<HTMLElement>('.mark') ?? [])];
  const farOf = (mark: HTMLElement): number => {
    const { left, top, width, height } = mark.getBoundingClientRect();
    return Math.hypot(clientX - left - width / 2, clientY - top - height / 2);
  };
  return marks.toSorted((a, b) => farOf(a) - farOf(b))[0] ?? own;
}

function MarkTip({ mark: { label, atMs, why }, left }: { mark: Mark; left: string }): ReactNode {
  return (
    <div className="lane-tip" style={tipAt(left)}>
      <strong>{label}</strong> {withHyphens(momentText(atMs, timeZone.current()))}
      {why === '' ? null : <p>{why}</p>}
    </div>
  );
}

function laneText(spans: readonly Span[]): string {
  return PHASES.map((phase) => ({
    phase,
    ms: spans.filter((span) => span.phase === phase).reduce((sum, span) => sum + span.endMs - span.startMs, 0),
  }))
    .filter(({ ms }) => ms > 0)
    .map(({ phase, ms }) => `${phaseText(phase)} ${spanText(ms / 1000)}`)
    .join(', ');
}
