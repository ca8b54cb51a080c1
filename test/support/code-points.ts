/** Every code point that there is, in texts of a few hundred. */

const LAST = 0x10ffff;
const SURROGATES = { first: 0xd800, last: 0xdfff } as const;

/** By the standard's own ranges, not by the pattern that the program looks with. */
export function isUncleanCodePoint(code: number): boolean {
  return code <= 0x1f || (code >= 0x7f && code <= 0x9f) || (code >= SURROGATES.first && code <= SURROGATES.last);
}

/** Control characters, each alone, and every 64th half of a surrogate pair. */
export function* uncleanTexts(): Iterable<string> {
  for (let code = 0; code < SURROGATES.first; code++) if (isUncleanCodePoint(code)) yield String.fromCharCode(code);
  for (let code: number = SURROGATES.first; code <= SURROGATES.last; code += 0x40) yield String.fromCharCode(code);
  yield String.fromCharCode(SURROGATES.last);
}

/** All other code points, in order, `count` a text. */
export function* cleanTextsOf(count: number): Iterable<string> {
  let text = '';
  let size = 0;
  for (let code = 0; code <= LAST; code++) {
    if (isUncleanCodePoint(code)) continue;
    text += String.fromCodePoint(code);
    if (++size < count) continue;
    yield text;
    text = '';
    size = 0;
  }
  if (size > 0) yield text;
}
