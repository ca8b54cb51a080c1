/** Where a name has what was typed, and how it is cut so that this is seen. Pure. */

export interface NameParts {
  readonly before: string;
  /** As it stands in the name; empty where it does not. */
  readonly match: string;
  readonly after: string;
}

/** Characters of the beginning, and before the match, that stay of a name that is cut. */
const HEAD = 8;
const AHEAD = 4;

/** Where the match would be behind `shown` characters, those between the beginning and it are left out. */
export function matchIn(name: string, typed: string, shown: number): NameParts {
  const at = typed === '' ? -1 : name.toLowerCase().indexOf(typed.toLowerCase());
  if (at < 0) return { before: name, match: '', after: '' };
  const end = at + typed.length;
  const from = at - AHEAD;
  const isCut = end > shown && from > HEAD + 1;
  const before = isCut ? `${name.slice(0, HEAD)}…${name.slice(from, at)}` : name.slice(0, at);
  return { before, match: name.slice(at, end), after: name.slice(end) };
}
