/** From row to row of a list by keys: each has a link, and Enter opens it. Back on the page, one is in the row that was opened. */

interface Opened {
  /** Where the first link of the row leads: it names the row. */
  readonly link: string;
  /** Pixels that the list and the page were scrolled. */
  readonly listPx: number;
  readonly pagePx: number;
}

/** By the address of a page: the row that was opened there last. */
const opened = new Map<string, Opened>();
const OPENED_MAX = 50;
const ROW = 'main [role=row], main tbody tr';

const here = (): string => window.location.pathname + window.location.search;

/** Called before a link is followed, whichever of the row. */
export function noteOpened({ target }: MouseEvent): void {
  const row = target instanceof Element && target.closest('a') ? target.closest(ROW) : null;
  const link = row?.querySelector('a')?.href;
  if (!row || link === undefined) return;
  opened.delete(here());
  opened.set(here(), { link, listPx: row.closest('.table-scroll')?.scrollTop ?? 0, pagePx: window.scrollY });
  const [oldest] = opened.keys();
  if (opened.size > OPENED_MAX && oldest !== undefined) opened.delete(oldest);
}

/** What Enter follows: a link, or what opens the row in place. */
const OPENS = 'a, button[aria-expanded]:not([aria-haspopup])';

/** Of the list that has the focus, or of the first one on the page; a row that leads nowhere is passed over. */
export function focusRow(step: 1 | -1): void {
  const row = document.activeElement?.closest<HTMLElement>(ROW);
  const list = row?.parentElement ?? firstList();
  if (!list) return;
  // A long list draws the rows that are in sight, in any order.
  const links = [...list.children]
    .flatMap((one) => one.querySelector<HTMLElement>(OPENS) ?? [])
    .toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
  const at = links.findIndex((link) =>
    row ? row.contains(link) : link instanceof HTMLAnchorElement && link.href === opened.get(here())?.link,
  );
  const next = links[at < 0 ? 0 : at + step];
  next?.focus({ focusVisible: true } as FocusOptions);
}

function firstList(): Element | undefined {
  return [...document.querySelectorAll('main .table-body, main tbody')].find((list) => list.querySelector('a'));
}

/** What the reader does himself goes before. */
const OWN_ACTS = ['keydown', 'pointerdown', 'wheel', 'touchstart'] as const;
/** Milliseconds: a list that comes later begins at its top. */
const AWAITED_MS = 10_000;

/** To the row that was opened on this page, as soon as it is there. Gives how to leave off. */
export function returnToRow(): () => void {
  const row = opened.get(here());
  if (!row) return () => undefined;
  const leave = (): void => {
    observer.disconnect();
    window.clearTimeout(timer);
    for (const act of OWN_ACTS) document.removeEventListener(act, leave, true);
  };
  const look = (): void => {
    if (isReached(row)) leave();
  };
  const observer = new MutationObserver(look);
  const timer = window.setTimeout(leave, AWAITED_MS);
  for (const act of OWN_ACTS) document.addEventListener(act, leave, true);
  observer.observe(document.body, { childList: true, subtree: true });
  look();
  return leave;
}

/** A long list draws its rows where it is scrolled to. */
function isReached({ link, listPx, pagePx }: Opened): boolean {
  window.scrollTo(0, pagePx);
  if (listPx > 0) document.querySelector('main .table-scroll')?.scrollTo(0, listPx);
  const found = [...document.querySelectorAll(ROW)]
    .flatMap((one) => one.querySelector('a') ?? [])
    .find(({ href }) => href === link);
  found?.focus({ preventScroll: true, focusVisible: true } as FocusOptions);
  found?.scrollIntoView({ block: 'nearest' });
  return found !== undefined;
}
