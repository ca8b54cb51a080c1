/**
 * Which element of a list shows which row. A row that stays in sight keeps its element; where all rows change at once, as one
 * drags the bar, each is written over the one that stood there, which costs less than an element made new. Pure.
 */

/** Key of a row → number of its element, from the top of the list down. */
export type RowSlots = ReadonlyMap<string, number>;

/** `before`: what was drawn last. `keys`: of the rows to be drawn, in their order, each once. */
export function rowSlots(before: RowSlots, keys: readonly string[]): RowSlots {
  const free = keys.some((key) => before.has(key)) ? [] : [...before.values()];
  let next = Math.max(-1, ...before.values()) + 1;
  return new Map(keys.map((key, i) => [key, before.get(key) ?? free[i] ?? next++]));
}

/** Whether elements show other rows than before: none of them stayed. */
export function areWrittenOver(before: RowSlots, now: RowSlots): boolean {
  return before.size > 0 && ![...now.keys()].some((key) => before.has(key));
}
