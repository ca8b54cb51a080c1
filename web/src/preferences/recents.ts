/** The jobs, nodes and queues whose pages were opened last in this browser. */
import { Kept } from './preference.ts';
import { type SavedView, viewsIn, withView } from './saved-views.ts';

/** One more than the palette shows: the page that is open is among them. */
const RECENTS_MAX = 6;
/** The parameter of a page's address that names what it is of. */
const NAMED_BY: Readonly<Record<string, string>> = { '/job': 'id', '/node': 'id', '/queue': 'name' };

export const recents = new Kept<readonly SavedView[]>('recents', [], viewsIn, JSON.stringify);

export function noteOpened(to: string, search: Readonly<Record<string, unknown>>): void {
  const parameter = NAMED_BY[to] ?? '';
  const name = search[parameter];
  if (typeof name !== 'string' || name === '') return;
  recents.choose(withView(recents.current(), { name, to, search: { [parameter]: name } }).slice(0, RECENTS_MAX));
}
