/** How the page that is shown was come to. */

let isBack = false;

/** At each move in the history of the tab, before the page is drawn. */
export function noteMove(isAlongHistory: boolean): void {
  isBack = isAlongHistory;
}

/** Whether by Back or Forward: then one is put where one left the page, which must be as long as it was. */
export function isReturn(): boolean {
  return isBack;
}
