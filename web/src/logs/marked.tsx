/** A text with what was searched for marked in it. */
import { Fragment, type ReactNode } from 'react';

/** `q`: as the server looks for it, in the same case; empty marks nothing. */
export function Marked({ text, q }: { text: string; q: string }): ReactNode {
  if (q === '' || !text.includes(q)) return text;
  let at = 0;
  return text.split(q).map((part, i) => {
    const key = at;
    at += part.length + q.length;
    return (
      <Fragment key={key}>
        {i === 0 ? null : <mark>{q}</mark>}
        {part}
      </Fragment>
    );
  });
}
