/** Where a box that scrolls sideways has more at an end: `more-before` and `more-after`, by which it is faded there. */
export function markEdges(box: HTMLElement): void {
  box.classList.toggle('more-before', box.scrollLeft > 1);
  box.classList.toggle('more-after', box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
}
