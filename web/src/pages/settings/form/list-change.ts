/** What is different between two lists, or two maps, that are written with commas. Pure. */

export interface EntryChange {
  /** Of a map. */
  readonly key?: string;
  /** Undefined of an entry that is new. */
  readonly before?: string;
  /** Undefined of an entry that is gone. */
  readonly after?: string;
}

/**
 * Undefined where it would say no less than both texts do: there are no two entries, or none stays. Entries of a map are always
 * told one by one, unless a record has only the beginning of its value. `–` is empty.
 */
export function listChange(before: string, after: string, isMap = false): readonly EntryChange[] | undefined {
  const isWhole = ![before, after].some((text) => text.startsWith('{'));
  const [old, next] = [before, after].map((text) => entriesOf(isMap && text === '–' ? '' : text)) as [Entries, Entries];
  const stays = [...old].filter(([entry, text]) => next.get(entry) === text).length;
  if (!(isMap && isWhole) && (old.size + next.size < 3 || stays === 0)) return undefined;
  const changes: EntryChange[] = [];
  for (const [entry, text] of old) if (next.get(entry) !== text) changes.push(changeOf(entry, text, next.get(entry)));
  for (const [entry, text] of next) if (!old.has(entry)) changes.push(changeOf(entry, undefined, text));
  return changes.length === 0 ? undefined : changes;
}

type Entries = ReadonlyMap<string, string>;

/** By key, or by itself where it has none; an address has none. */
function entriesOf(text: string): Entries {
  const entries = text.split(',').flatMap((part) => part.trim() || []);
  return new Map(entries.map((entry) => [/^([^:]+):(?!\/\/)/.exec(entry)?.[1] ?? entry, entry]));
}

function changeOf(entry: string, old: string | undefined, next: string | undefined): EntryChange {
  const restOf = (text: string): string => text.slice(entry.length + 1).trim();
  const isOfMap = [old, next].some((text) => text?.startsWith(`${entry}:`));
  const told = (text: string | undefined): string | undefined => (text && isOfMap ? restOf(text) : text);
  const [before, after] = [told(old), told(next)];
  return {
    ...(isOfMap ? { key: entry } : {}),
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}
