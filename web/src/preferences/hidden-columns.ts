/** The columns of a list that a reader does not want to see, kept in this browser. */
import { Kept } from './preference.ts';

const NONE: readonly string[] = [];

function columnsIn(text: string): readonly string[] {
  return text.split(',').filter(Boolean);
}

/** Names of columns that are not there any more do no harm. */
class HiddenColumns extends Kept<readonly string[]> {
  constructor(list: string) {
    super(`columns.${list}`, NONE, columnsIn, (columns) => columns.join(','));
  }

  show(column: string, isShown: boolean): void {
    const others = this.current().filter((id) => id !== column);
    this.choose(isShown ? others : [...others, column]);
  }
}

export const hiddenJobColumns = new HiddenColumns('jobs');
export const hiddenNodeColumns = new HiddenColumns('nodes');
export type { HiddenColumns };
