/** Pages with their filters, order and range under names of the reader's choice. Pure. */
export interface SavedView {
  readonly name: string;
  /** Path of the page, e.g. `/jobs`. */
  readonly to: string;
  readonly search: Readonly<Record<string, string>>;
}

/** More are a list that nobody reads; saving one more is refused. */
export const VIEWS_MAX = 50;
export const VIEW_NAME_LENGTH_MAX = 80;

/** The newest first; one of the same name gives way. */
export function withView(views: readonly SavedView[], view: SavedView): readonly SavedView[] {
  return [view, ...views.filter(({ name }) => name !== view.name)];
}

/** Undefined of a text that holds no views. What a page does not understand in an address it names itself. */
export function viewsIn(text: string): readonly SavedView[] | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return Array.isArray(found) ? found.filter(isView).slice(0, VIEWS_MAX) : undefined;
  } catch {
    return undefined;
  }
}

function isView(value: unknown): value is SavedView {
  if (typeof value !== 'object' || value === null) return false;
  const { name, to, search } = value as Partial<Record<keyof SavedView, unknown>>;
  if (typeof name !== 'string' || typeof to !== 'string' || !to.startsWith('/')) return false;
  if (typeof search !== 'object' || search === null) return false;
  return Object.values(search).every((one) => typeof one === 'string');
}
