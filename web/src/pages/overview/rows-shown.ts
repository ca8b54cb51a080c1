/** How many rows the lists of the overview show: on a phone each takes two lines, and others are below it. */
import { useNarrow } from '../../browser/narrow.ts';

export function useRowsShown(): number {
  return useNarrow() ? 5 : 8;
}
