/** A text with what was searched for marked in it. */
import { Fragment, type ReactNode } from 'react';
import { shownWords } from '../../../src/protocol/lists/log-words.ts';

/** `q`: the words of the search, which the server finds in any case; empty marks nothing. */
export function Marked({ text, q }: { text: string; q: string }): ReactNode {
  const found = q === '' ? undefined : foundBy(q);
  if (!found?.test(text)) return text;
  let at = 0;
  // Every other part is one that was searched for.
  return text.split(found).map((part, i) => {
    const key = at;
    at += part.length;
    return i % 2 === 1 ? <mark key={key}>{part}</mark> : <Fragment key={key}>{part}</Fragment>;
  });
}

/** All lines of a log have the same search. */
let last: { readonly q: string; readonly found: RegExp | undefined } = { q: '', found: undefined };

function foundBy(q: string): RegExp | undefined {
  if (last.q !== q) {
    const words = shownWords(q).toSorted((a, b) => b.length - a.length);
    const forms = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
    last = { q, found: forms.length === 0 ? undefined : new RegExp(`(${forms.join('|')})`, 'i') };
  }
  return last.found;
}
