/** What scrolls a list: the box that it stands in, or the page, in a window so narrow that a box within would catch the finger. */
import {
  observeWindowOffset,
  observeWindowRect,
  type ReactVirtualizer,
  type ReactVirtualizerOptions,
  useVirtualizer,
  windowScroll,
} from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';

type Options = ReactVirtualizerOptions<Element, HTMLDivElement>;

/** The window is no element, but what reads and moves it takes it for one. */
const OF_PAGE = {
  getScrollElement: () => window,
  observeElementRect: observeWindowRect,
  observeElementOffset: observeWindowOffset,
  scrollToFn: windowScroll,
} as unknown as Pick<Options, 'getScrollElement' | 'observeElementRect' | 'observeElementOffset' | 'scrollToFn'>;

export interface ListScroll {
  readonly count: number;
  readonly rowPx: number;
  /** Rows that are drawn beyond those in sight, at both ends. */
  readonly overscan: number;
  /** What the list stands in. */
  readonly box: RefObject<HTMLElement | null>;
  readonly isOfPage: boolean;
  /** Of the row at a place: what was measured of a row is kept with it, wherever it stands. Absent where all are as high. */
  readonly keyAt: ((index: number) => string | number) | undefined;
}

/** `topPx`: where the list begins in what scrolls; places of rows count from there. */
export function useListScroll({ count, rowPx, overscan, box, isOfPage, keyAt }: ListScroll): {
  readonly virtualizer: ReactVirtualizer<Element, HTMLDivElement>;
  readonly topPx: number;
} {
  const topPx = useTopPx(box, isOfPage);
  const virtualizer = useVirtualizer<Element, HTMLDivElement>({
    count,
    estimateSize: () => rowPx,
    overscan,
    scrollMargin: topPx,
    ...(keyAt ? { getItemKey: keyAt } : {}),
    ...(isOfPage ? { ...OF_PAGE, initialOffset: () => window.scrollY } : { getScrollElement: () => box.current }),
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again with every other height of rows
  useEffect(() => virtualizer.measure(), [rowPx]);
  return { virtualizer, topPx };
}

/** Pixels from the top of the page; 0 for a box that scrolls by itself. */
function useTopPx(box: RefObject<HTMLElement | null>, isOfPage: boolean): number {
  const [topPx, setTopPx] = useState(0);
  useLayoutEffect(() => {
    const { current } = box;
    if (!isOfPage || !current) {
      setTopPx(0);
      return undefined;
    }
    const measure = (): void => setTopPx(Math.round(current.getBoundingClientRect().top + window.scrollY));
    measure();
    // Whatever comes above the list makes the page longer.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [box, isOfPage]);
  return topPx;
}
