/** An id in less room than it needs: cut in the middle, at whole characters. Pure. */

/** Characters at the end, which tells an id from the others. */
const TAIL = 8;

/** `widthOf`: pixels of a text. The end stays whole, and as much of the beginning as has room. */
export function cutMiddle(id: string, roomPx: number, widthOf: (text: string) => number): string {
  if (widthOf(id) <= roomPx) return id;
  const end = `…${id.slice(-TAIL)}`;
  let restPx = roomPx - widthOf(end);
  let count = 0;
  for (const sign of id.slice(0, -TAIL)) {
    restPx -= widthOf(sign);
    if (restPx < 0) break;
    count += sign.length;
  }
  return id.slice(0, count) + end;
}
