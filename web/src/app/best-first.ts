/** Which of the jobs and nodes that have a text stands first. Pure. */

interface Names {
  readonly ids: readonly string[];
  readonly name?: string | undefined;
}

export interface BestFirst<T> {
  readonly rows: readonly T[];
  /** How well the first fits: 0 is best. */
  readonly best: number;
}

/** Those whose ids begin with the text, then those that only have it, then those whose names do. Equals stay as they are. */
export function bestFirst<T>(all: readonly T[], text: string, namesOf: (row: T) => Names): BestFirst<T> {
  const wanted = text.toLowerCase();
  const rankOf = (row: T): number => {
    const { ids, name = '' } = namesOf(row);
    const inName = name.toLowerCase().includes(wanted) ? 2 : 3;
    return Math.min(inName, ...ids.map((id) => rankOfId(id.toLowerCase().indexOf(wanted))));
  };
  const ranked = all.map((row) => ({ row, rank: rankOf(row) })).toSorted((a, b) => a.rank - b.rank);
  return { rows: ranked.map(({ row }) => row), best: ranked[0]?.rank ?? Number.POSITIVE_INFINITY };
}

function rankOfId(at: number): number {
  if (at < 0) return 3;
  return at === 0 ? 0 : 1;
}
