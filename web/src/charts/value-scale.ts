/** The axis of values: where it ends, and its ticks. Pure. */

export interface ValueScale {
  readonly min: number;
  readonly max: number;
  /** Ascending; at least three from 0 up, the last of them above every value. */
  readonly ticks: readonly number[];
}

export interface Wanted {
  /** The greatest value, the parts of a stack added up. */
  readonly top: number;
  /** How far values reach below 0: 0 or more. */
  readonly depth: number;
  readonly unit: string | undefined;
  /** The most that there can be: the axis ends there, wherever the values are. */
  readonly ceiling?: number | undefined;
  /** Pixels between the ends of the axis. */
  readonly heightPx: number;
  /** Whether 0 stands where it does in every other chart of such a row. */
  readonly hasBand?: boolean;
}

/** Between two ticks, so that their labels can be read. */
const TICK_PX = 30;
/** Kept below 0 at least for what stands there: a single failure is seen beside a thousand jobs, and a figure can be read. */
const DEPTH_PX = 14;
/** Of figures below 0 that are no multiples of the step above. */
const DIGITS = [1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10];

/** Of the axis: kept below 0 where there is a band. */
const BAND_SHARE = 0.2;
/** How much longer the axis is above 0 than below it. */
const BAND_FACTOR = (1 - BAND_SHARE) / BAND_SHARE;

/** What is below 0 is drawn to the scale of what is above: a bar that is a tenth as long stands for a tenth. */
export function valueScale({ hasBand = false, ...wanted }: Wanted): ValueScale {
  if (!hasBand) return commonScale(wanted);
  const { top, depth, unit, heightPx } = wanted;
  const { max, ticks } = commonScale({
    ...wanted,
    top: Math.max(top, depth * BAND_FACTOR),
    depth: 0,
    heightPx: heightPx * (1 - BAND_SHARE),
  });
  const deepest = depth === 0 ? undefined : digitNear(max / BAND_FACTOR, unit, 'below');
  return { min: -max / BAND_FACTOR, max, ticks: deepest === undefined ? ticks : [-deepest, ...ticks] };
}

/** A figure of one digit, or of one and a half, that is just as great or just beyond; undefined where there is none: half a job. */
function digitNear(value: number, unit: string | undefined, side: 'above' | 'below'): number | undefined {
  const power = Math.floor(Math.log10(value));
  const all = DIGITS.map((digit) => round(digit * 10 ** power)).filter((one) => unit !== 'count' || one % 1 === 0);
  if (side === 'above') return all.find((one) => one >= value) ?? Math.ceil(value);
  return all.findLast((one) => one <= value);
}

function commonScale({ top, depth, unit, ceiling, heightPx }: Wanted): ValueScale {
  const most = Math.max(2, Math.floor(heightPx / TICK_PX));
  if (ceiling !== undefined && top <= ceiling && depth === 0) return upTo(ceiling, unit, most);
  const step = stepFor(Math.max(top, depth), unit, (step) => Math.floor(top / step) + Math.floor(depth / step) < most);
  const count = Math.max(2, Math.floor(top / step) + 1);
  const max = round(count * step);
  const least = digitNear((max * DEPTH_PX) / (heightPx - DEPTH_PX), unit, 'above') ?? 0;
  const min = depth === 0 ? 0 : -Math.max(depth * 1.1, least);
  const ticks: number[] = [];
  for (let i = Math.ceil(min / step); i <= count; i++) ticks.push(i === 0 ? 0 : round(i * step));
  const deepest = depth === 0 || -min >= step ? undefined : digitNear(-min, unit, 'below');
  return { min, max, ticks: deepest === undefined ? ticks : [-deepest, ...ticks] };
}

/** The last tick is the ceiling itself. */
function upTo(ceiling: number, unit: string | undefined, most: number): ValueScale {
  const step = stepFor(ceiling, unit, (step) => ceiling / step <= most);
  const ticks = [0];
  for (let value = step; value < ceiling - step / 2; value += step) ticks.push(round(value));
  return { min: 0, max: ceiling, ticks: [...ticks, ceiling] };
}

/** Without the dust of binary fractions: 0.30000000000000004. */
function round(value: number): number {
  return Number(value.toPrecision(12));
}

/** MB are shown as GiB from a thousand on: steps that are whole there. */
const BINARY_STEPS = Array.from({ length: 40 }, (_, power) => 2 ** power);
/** Seconds are shown as minutes, hours and days. */
const TIME_STEPS = [0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 7_200, 21_600, 43_200].concat(
  Array.from({ length: 20 }, (_, power) => 86_400 * 2 ** power),
);
const PERCENT_STEPS = [1, 5, 10, 25, 50];

function stepFor(top: number, unit: string | undefined, fits: (step: number) => boolean): number {
  // Core-seconds are shown as core-hours.
  if (unit === 'core-seconds') return 3_600 * decimalStep(top / 3_600, (step) => fits(step * 3_600), 0);
  if (unit === 'MB') return BINARY_STEPS.find(fits) ?? decimalStep(top, fits, 0);
  if (unit === 'seconds') return TIME_STEPS.find(fits) ?? decimalStep(top, fits, 0);
  if (unit === 'percent') return PERCENT_STEPS.find(fits) ?? decimalStep(top, fits, 0);
  // There is no half of a job.
  return decimalStep(top, fits, unit === 'count' ? 1 : 0);
}

/** The least of 1, 2 and 5 of any power of ten that fits. */
function decimalStep(top: number, fits: (step: number) => boolean, least: number): number {
  if (!(top > 0)) return 1;
  const power = Math.floor(Math.log10(top)) - 2;
  for (let exponent = power; exponent < power + 5; exponent++)
    for (const digit of [1, 2, 5]) {
      const step = Number(`${digit}e${exponent}`);
      if (step >= least && fits(step)) return step;
    }
  return Math.max(least, top);
}
