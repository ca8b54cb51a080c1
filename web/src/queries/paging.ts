/** Lists that come in pages, as the API sends them. */
import { ask } from '../api/request.ts';

export interface Page<T> {
  readonly rows: readonly T[];
  /** Path of the next page; null at the end. */
  readonly next: string | null;
  /** Whether rows behind these are not read at all. */
  readonly isCut?: boolean;
}

export interface Bounded<T> {
  readonly rows: readonly T[];
  /** Whether there are more than were asked for. */
  readonly hasMore: boolean;
}

/** Rows of those behind it: who scrolls on wants many, and each page costs a look at all rows. */
export const PAGE_ROWS = 2_000;
/** The most that a list counts itself; beyond it the page says "more than". */
export const COUNT_ROWS_MAX = 10_000;
export async function bounded<T>(path: string, signal: AbortSignal): Promise<Bounded<T>> {
  const response = await ask(path, { signal });
  return { rows: (await response.json()) as T[], hasMore: nextOf(response) !== null };
}

/** Path of the next page. */
export function nextOf(response: Response): string | null {
  return /<([^>]+)>;\s*rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? null;
}
