/**
 * What a chart draws, from the back to the front: what was before (an area behind bars, or a line), bars on top of each other,
 * bars below 0, the edge of that area, lines. Pure.
 */
import type { ChartLine, Values } from './chart-line.ts';

export interface Layer {
  readonly line: ChartLine;
  /** Place of the line among the lines of the chart. */
  readonly place: number;
  readonly kind: 'bar' | 'outline' | 'edge' | 'line';
  /** One for each time. */
  readonly values: readonly (number | null)[];
}

type Kinds = Pick<Layer, 'line' | 'place' | 'kind'> & { readonly isBelow: boolean };

/** The order of the layers, which does not depend on the values. */
export function kindsOf(lines: readonly ChartLine[]): Kinds[] {
  const all = lines.map((line, place) => ({ line, place, isBelow: isBelow(line, lines) }));
  const of = (kind: Layer['kind'], some: typeof all): Kinds[] => some.map((one) => ({ ...one, kind }));
  const bars = all.filter(({ line }) => line.isCounted && !line.isBefore);
  return [
    ...of(
      'outline',
      all.filter(({ line }) => line.isBefore && line.isCounted),
    ),
    ...of(
      'line',
      all.filter(({ line }) => line.isBefore && !line.isCounted),
    ),
    // A sum lies behind what it is the sum of.
    ...of('bar', bars.filter((one) => !one.isBelow).reverse()),
    ...of('bar', bars.filter((one) => one.isBelow).reverse()),
    // Over the bars: they hide what was less.
    ...of(
      'edge',
      all.filter(({ line }) => line.isBefore && line.isCounted),
    ),
    ...of(
      'line',
      all.filter(({ line }) => !line.isCounted && !line.isBefore),
    ),
  ];
}

export function layersOf(lines: readonly ChartLine[], [, ...columns]: Values): Layer[] {
  const sums = new Map<number, readonly (number | null)[]>();
  for (const isDown of [false, true]) {
    let sum: readonly number[] | undefined;
    for (const [place, line] of lines.entries()) {
      if (!line.isCounted || line.isBefore || isBelow(line, lines) !== isDown) continue;
      const below = sum;
      const part = (columns[place] ?? []).map((value) => (isDown ? -(value ?? 0) : (value ?? 0)));
      sum = part.map((value, i) => value + (below?.[i] ?? 0));
      sums.set(place, sum);
    }
  }
  return kindsOf(lines).map(({ line, place, kind }) => ({
    line,
    place,
    kind,
    values: sums.get(place) ?? columns[place] ?? [],
  }));
}

/** Failures stand below 0: they are no part of what stands above. By themselves they stand above. */
function isBelow(line: ChartLine, lines: readonly ChartLine[]): boolean {
  return line.isBelow === true && lines.some((other) => !other.isBelow && !other.isBefore);
}

/** How far the layers reach above and below 0. */
export function reachOf(layers: readonly Layer[]): { readonly top: number; readonly depth: number } {
  let top = 0;
  let least = 0;
  for (const { values } of layers)
    for (const value of values) {
      if (value === null) continue;
      if (value > top) top = value;
      if (value < least) least = value;
    }
  return { top, depth: -least };
}
