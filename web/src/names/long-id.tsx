/** An id in a narrow place: it is cut in the middle, because its end tells it from the others. */
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { textWidths } from '../browser/text-width.ts';
import { cutMiddle } from './cut-middle.ts';

/** Ids up to this length fit wherever ids stand. */
const SHORT = 12;
/** Pixels that are left free: characters side by side may take a little more than each by itself. */
const SPARE_PX = 2;

export function LongId({ id }: { id: string }): ReactNode {
  return id.length <= SHORT ? <span className="short-id">{id}</span> : <FittedId id={id} />;
}

function FittedId({ id }: { id: string }): ReactNode {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    ids.set(current, id);
    const room = rooms.get(current);
    if (room) writeOver(current, id, room);
    // It tells the first width, too, before anything is painted.
    else places.observe(current);
    return undefined;
  }, [id]);
  useLayoutEffect(() => {
    const { current } = place;
    return () => {
      if (!current) return;
      places.unobserve(current);
      unmeasured.delete(current);
    };
  }, []);
  return (
    <span className="long-id" ref={place}>
      {/* What is read aloud and copied; and, once it is cut, what is seen of it. */}
      <span>{id}</span>
      <span aria-hidden="true" className="long-id-shown" />
    </span>
  );
}

const ids = new WeakMap<Element, string>();
/** One for all: as one scrolls, many ids come with a frame, and none of them makes the browser lay out the page for itself. */
const places = new ResizeObserver((entries) => fit(entries.map(({ target }) => target)));

/** What there was for the id that stood in a place before, while its width is the same. */
interface Room {
  readonly px: number;
  readonly widthOf: (text: string) => number;
}
const rooms = new WeakMap<Element, Room>();

/** Those whose ids were written over without a look at the page. */
const unmeasured = new Set<Element>();
/** Milliseconds without another id until they are looked at. */
const REST_MS = 150;
let atRest = 0;

/**
 * As one drags the bar of a list, every row shows another id with each frame: what was measured for the one before will do
 * until the list stands still.
 */
function writeOver(place: Element, id: string, { px, widthOf }: Room): void {
  const shown = place.lastElementChild;
  const text = cutMiddle(id, px, widthOf);
  place.classList.toggle(CUT, text !== id);
  if (shown && text !== id) shown.textContent = text;
  unmeasured.add(place);
  window.clearTimeout(atRest);
  atRest = window.setTimeout(() => {
    fit([...unmeasured]);
    unmeasured.clear();
  }, REST_MS);
}

/** Looks that are taken at what was written: a font may be another one than the one that was measured. */
const LOOKS = 4;

/** All are measured before any is written; those that have room, most of them, are not written at all. */
function fit(all: readonly Element[]): void {
  const narrow: Narrow[] = [];
  const wide: Element[] = [];
  for (const place of all) {
    const id = ids.get(place);
    const { firstElementChild: whole, lastElementChild: shown } = place;
    if (id === undefined || !whole || !shown) continue;
    // One that is not cut stands in its line, and reaches beyond its place.
    const idPx = isCut(place) ? whole.scrollWidth : (whole as HTMLElement).offsetWidth;
    const roomPx = place.clientWidth - SPARE_PX;
    const widthOf = widthsIn(place, id, idPx);
    rooms.set(place, { px: roomPx, widthOf });
    if (idPx > place.clientWidth) narrow.push({ id, place, shown, roomPx, widthOf });
    else if (isCut(place)) wide.push(place);
  }
  for (const place of wide) place.classList.remove(CUT);
  for (const { place } of narrow) place.classList.add(CUT);
  let open = narrow;
  for (let look = 0; look < LOOKS && open.length > 0; look++) {
    for (const { id, shown, roomPx, widthOf } of open)
      shown.textContent = cutMiddle(id, roomPx * (1 - look / 20), widthOf);
    open = open.filter(({ place }) => place.scrollWidth > place.clientWidth);
  }
}

interface Narrow {
  readonly id: string;
  readonly place: Element;
  readonly shown: Element;
  readonly roomPx: number;
  readonly widthOf: (text: string) => number;
}

const CUT = 'long-id-cut';

function isCut(place: Element): boolean {
  return place.classList.contains(CUT);
}

/** `idPx`: what the whole id takes on the page. */
function widthsIn(element: Element, id: string, idPx: number): (text: string) => number {
  const widthOf = textWidths(getComputedStyle(element).font);
  // The page's own font may not be at hand where characters are measured.
  const scale = idPx / Math.max(1, widthOf(id));
  return (text) => scale * widthOf(text);
}
