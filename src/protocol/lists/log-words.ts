/** What a person looks for in a log: words in any order and case, as they stand on the screen. Pure. */
import type { LineTexts, TextGroup } from '../../base/lines/wanted-texts.ts';

/** Each is looked for by itself. */
export const WORDS_MAX = 16;

/** Words between quotation marks are one, also as a value: `queue="low priority"`. */
const WORD = /(-?)(?:([\w.-]+=)?"([^"]+)"|(\S+))/g;
const FIELD = /^([\w.-]+)=(.+)$/s;
/** After a hyphen these are numbers and options, which are looked for. */
const LITERAL = /^[-\d]/;

interface Word {
  /** Without its quotation marks. */
  readonly word: string;
  /** Whether lines that have it are left out. */
  readonly isExcluded: boolean;
}

export function wordsOf(text: string): Word[] {
  return [...text.matchAll(WORD)].map(([whole, hyphen = '', name = '', quoted, plain = '']) => {
    const word = quoted === undefined ? plain : name + quoted;
    const isExcluded = hyphen !== '' && word !== '' && !LITERAL.test(word);
    return { word: isExcluded || quoted !== undefined ? word : whole, isExcluded };
  });
}

/** A line has each of the words in one of the forms in which it may be written. The longest first: it is the rarest. */
export function textsOfWords(text: string): LineTexts {
  return wordsOf(text)
    .toSorted((a, b) => b.word.length - a.word.length)
    .map(({ word, isExcluded }): TextGroup => ({ texts: formsOf(word), anyCase: true, isExcluded }));
}

/** As it is; as JSON has it; and `name=value`, which is how fields are shown, as a field of JSON. */
function formsOf(word: string): string[] {
  const [, name, value = ''] = FIELD.exec(word) ?? [];
  const fields = name === undefined ? [] : [`"${name}":"${inJson(value)}`, `"${name}":${value}`];
  return [...new Set([word, inJson(word), ...fields])];
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Whether the line has all of the words and none that is left out, as the server finds it. */
export function hasWords(line: string, texts: LineTexts): boolean {
  const lower = inLowerCase(line);
  return texts.every(
    ({ texts: forms, isExcluded = false }) => forms.some((form) => lower.includes(inLowerCase(form))) !== isExcluded,
  );
}

/** A to Z only, as the server does it. */
function inLowerCase(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (part) => part.toLowerCase());
}

/** What of the words stands on the screen: all of them together, each, and of `name=value` the value. */
export function shownWords(text: string): string[] {
  const words = wordsOf(text).flatMap(({ word, isExcluded }) => (isExcluded ? [] : [word]));
  const all = [words.join(' '), ...words.flatMap((word) => [word, ...(FIELD.exec(word)?.slice(2) ?? [])])];
  return [...new Set(all)].filter(Boolean);
}
