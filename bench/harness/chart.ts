/** Growth curves as SVG: cost against size, both in decades, so that a straight line that does not rise means no growth. */

export interface Curve {
  readonly title: string;
  /** What grows. */
  readonly of: string;
  /** What is measured, with its unit. */
  readonly measure: string;
  readonly points: readonly { readonly size: number; readonly cost: number }[];
}

const WIDTH = 480;
const HEIGHT = 300;
const LEFT = 64;
const RIGHT = 36;
const TOP = 40;
const BOTTOM = 48;

/** At least two points above 0. */
export function chartOf({ title, of, measure, points }: Curve): string {
  const x = axisOf(
    points.map(({ size }) => size),
    LEFT,
    WIDTH - RIGHT,
  );
  const y = axisOf(
    points.map(({ cost }) => cost),
    HEIGHT - BOTTOM,
    TOP,
  );
  const line = points.map(({ size, cost }) => `${fixed(x.at(size))},${fixed(y.at(cost))}`).join(' ');
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="22" font-size="14" font-weight="bold">${escaped(title)}</text>`,
    ...x.ticks.flatMap((tick) => [
      `<path d="M${fixed(x.at(tick))} ${TOP}V${HEIGHT - BOTTOM}" stroke="#ddd"/>`,
      `<text x="${fixed(x.at(tick))}" y="${HEIGHT - BOTTOM + 16}" text-anchor="middle">${shown(tick)}</text>`,
    ]),
    ...y.ticks.flatMap((tick) => [
      `<path d="M${LEFT} ${fixed(y.at(tick))}H${WIDTH - RIGHT}" stroke="#ddd"/>`,
      `<text x="${LEFT - 6}" y="${fixed(y.at(tick) + 4)}" text-anchor="end">${shown(tick)}</text>`,
    ]),
    `<text x="${(LEFT + WIDTH - RIGHT) / 2}" y="${HEIGHT - 10}" text-anchor="middle">${escaped(of)}</text>`,
    `<text transform="translate(14 ${(TOP + HEIGHT - BOTTOM) / 2}) rotate(-90)" text-anchor="middle">${escaped(measure)}</text>`,
    `<polyline points="${line}" fill="none" stroke="#1f5fbf" stroke-width="2"/>`,
    ...points.flatMap(({ size, cost }) => [
      `<circle cx="${fixed(x.at(size))}" cy="${fixed(y.at(cost))}" r="3" fill="#1f5fbf"/>`,
      `<text x="${fixed(x.at(size))}" y="${fixed(y.at(cost) - 8)}" text-anchor="middle">${shown(cost)}</text>`,
    ]),
    '</svg>',
  ].join('\n')}\n`;
}

interface Axis {
  readonly ticks: readonly number[];
  at(value: number): number;
}

/** Whole decades around the values, from one place to another. */
function axisOf(values: readonly number[], from: number, to: number): Axis {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  return {
    ticks: Array.from({ length: high - low + 1 }, (_, i) => 10 ** (low + i)),
    at: (value) => from + ((to - from) * (Math.log10(value) - low)) / (high - low),
  };
}

function fixed(value: number): string {
  return String(Math.round(value * 10) / 10);
}

function shown(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en', { maximumSignificantDigits: 3 });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
