/** Which requests have what was searched for where a reader sees it. Pure. */
import { hasWords, textsOfWords, wordsOf } from '../../../src/protocol/lists/log-words.ts';

/** Shown rounded, or only where the line is unfolded: a number that stands in these alone would be found without being seen. */
const UNSEEN = /"(?:ms|bytes)":[\d.]+/g;

/** Undefined where every line that the server finds is wanted. */
export function seenIn(q: string): ((line: string) => boolean) | undefined {
  // Who names a field means that.
  const words = wordsOf(q).flatMap(({ word }) => (/^[\d.]+$/.test(word) ? [word] : []));
  if (words.length === 0) return undefined;
  const texts = textsOfWords(words.join(' '));
  return (line) => hasWords(line.replaceAll(UNSEEN, ''), texts);
}
