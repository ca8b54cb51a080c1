/** An id in a narrow place: it is cut in the middle, because its end tells it from the others. */
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { cutMiddle } from './cut-middle.ts';

/** Ids up to this length fit wherever ids stand. */
const SHORT = 18;
/** Pixels that are left free: characters side by side may take a little more than each by itself. */
const SPARE_PX = 2;

export function LongId({ id }: { id: string }): ReactNode {
  return id.length <= SHORT ? id : <FittedId id={id} />;
}

function FittedId({ id }: { id: string }): ReactNode {
  const place = useRef<HTMLSpanElement>(null);
  useLayoutEffect(() => {
    const { current } = place;
    if (!current) return undefined;
    ids.set(current, id);
    // It tells the first width, too, before anything is painted.
    places.observe(current);
    return () => places.unobserve(current);
  }, [id]);
  return (
    <span className="long-id" ref={place}>
      {/* What is read aloud and copied; as wide as there is room; and what is seen of it. */}
      <span className="hidden">{id}</span>
      <span aria-hidden="true" className="long-id-width">
        {id}
      </span>
      <span aria-hidden="true" className="long-id-shown">
        {id}
      </span>
    </span>
  );
}

const ids = new WeakMap<Element, string>();
/** One for all: as one scrolls, many ids come with a frame, and none of them makes the browser lay out the page for itself. */
const places = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) {
    const shown = target.lastElementChild;
    const id = ids.get(target);
    if (shown && id !== undefined) shown.textContent = cutMiddle(id, contentRect.width - SPARE_PX, widthsIn(target));
  }
});

/** Font → widths of texts in it. */
const widths = new Map<string, (text: string) => number>();

function widthsIn(element: Element): (text: string) => number {
  const { font } = getComputedStyle(element);
  const known = widths.get(font);
  if (known) return known;
  const context = document.createElement('canvas').getContext('2d');
  if (context) context.font = font;
  const signs = new Map<string, number>();
  const widthOf = (text: string): number => {
    let sum = 0;
    for (const sign of text) {
      let px = signs.get(sign);
      if (px === undefined) {
        px = context?.measureText(sign).width ?? 0;
        signs.set(sign, px);
      }
      sum += px;
    }
    return sum;
  };
  widths.set(font, widthOf);
  return widthOf;
}
