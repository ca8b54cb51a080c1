/** From row to row of a list by keys: each has a link, and Enter opens it. */

/** Of the list that has the focus, or of the first one on the page; a row without a link is passed over. */
export function focusRow(step: 1 | -1): void {
  const row = document.activeElement?.closest<HTMLElement>('main [role=row], main tbody tr');
  const list = row?.parentElement ?? firstList();
  if (!list) return;
  // A long list draws the rows that are in sight, in any order.
  const links = [...list.children]
    .flatMap((one) => one.querySelector('a') ?? [])
    .toSorted((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top);
  const at = row ? links.findIndex((link) => row.contains(link)) : -1;
  const next = links[at < 0 ? 0 : at + step];
  next?.focus({ focusVisible: true } as FocusOptions);
}

function firstList(): Element | undefined {
  return [...document.querySelectorAll('main .table-body, main tbody')].find((list) => list.querySelector('a'));
}
