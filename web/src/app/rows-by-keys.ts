/** From row to row of a list by keys: each has a link, and Enter opens it. */

/** By the address of a page: where the link of the row led that was followed there last. */
const followed = new Map<string, string>();
const FOLLOWED_MAX = 50;

const here = (): string => window.location.pathname + window.location.search;

/** Back on the page, the keys go on from that row. Called before the link is followed. */
export function noteFollowed({ target }: MouseEvent): void {
  const link = target instanceof Element ? target.closest<HTMLAnchorElement>('main [role=row] a, main tbody a') : null;
  if (!link) return;
  followed.delete(here());
  followed.set(here(), link.href);
  const [oldest] = followed.keys();
  if (followed.size > FOLLOWED_MAX && oldest !== undefined) followed.delete(oldest);
}

/** Of the list that has the focus, or of the first one on the page; a row without a link is passed over. */
export function focusRow(step: 1 | -1): void {
  const row = document.activeElement?.closest<HTMLElement>('main [role=row], main tbody tr');
  const list = row?.parentElement ?? firstList();
  if (!list) return;
  // A long list draws the rows that are in sight, in any order.
  const links = [...list.children]
    .flatMap((one) => one.querySelector('a') ?? [])
    .toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
  const at = links.findIndex((link) => (row ? row.contains(link) : link.href === followed.get(here())));
  const next = links[at < 0 ? 0 : at + step];
  next?.focus({ focusVisible: true } as FocusOptions);
}

function firstList(): Element | undefined {
  return [...document.querySelectorAll('main .table-body, main tbody')].find((list) => list.querySelector('a'));
}
