/** Ends of a test in reverse order of their beginnings: what stands on a folder is closed before the folder goes. */
import type { TestContext } from 'node:test';

type End = () => unknown;

const ends = new WeakMap<TestContext, End[]>();

export function atEnd(t: TestContext, end: End): void {
  const known = ends.get(t);
  if (known) {
    known.push(end);
    return;
  }
  const list = [end];
  ends.set(t, list);
  t.after(async () => {
    for (const next of list.reverse()) await next();
  });
}
