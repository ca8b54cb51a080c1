/**
 * A climb: one dimension is raised step by step until an objective breaks, or nothing bigger is tried. A step at which the load
 * generator itself was late decides nothing, because a late generator measures itself.
 */

/** What must hold at every step; figures that a dimension does not measure are absent. */
export const OBJECTIVES = {
  p99Ms: { limit: 100, text: 'p99 of answers, from when each call was due, at most 100 ms' },
  refused: { limit: 0, text: 'no call refused, failed or left out' },
  memoryMiB: { limit: 2_048, text: 'resident memory of the server at most 2 GiB' },
  restartMs: { limit: 2_000, text: 'ready within 2 s of a start after a kill' },
  deliveryP99Ms: { limit: 500, text: 'p99 from a write to its arrival at a reader at most 500 ms' },
  detectionMs: { limit: 2_000, text: 'a silent node lost at most 2 s after its TTL, and never before' },
} as const;

export type Objective = keyof typeof OBJECTIVES;
export type Figures = Readonly<Partial<Record<Objective, number>>>;

/** The generator was late by more than this at p99: what was measured is its own lateness. */
export const GENERATOR_LATE_MS = 25;

export interface Step {
  readonly size: number;
  readonly figures: Figures;
  /** Processor time of the server, in microseconds a unit; null where it was not measured. */
  readonly cpuMicroseconds: number | null;
  /** Of the load generator, at p99; 0 where the load has no times of its own. */
  readonly generatorLateMs: number;
}

export interface Climb {
  readonly name: string;
  /** What a size counts. */
  readonly unit: string;
  /** How it is measured, in a sentence. */
  readonly how: string;
  readonly steps: readonly Step[];
}

export interface Verdict {
  /** The largest size at which everything held; null where not even the first did. */
  readonly holds: number | null;
  /** What comes beyond it, as a sentence. */
  readonly beyond: string;
}

export function brokenAt({ figures }: Step): Objective | null {
  for (const [name, { limit }] of Object.entries(OBJECTIVES) as [Objective, { limit: number }][]) {
    const value = figures[name];
    if (value === undefined) continue;
    if (value > limit || (name === 'detectionMs' && value < 0)) return name;
  }
  return null;
}

export function isUndecided({ generatorLateMs }: Step): boolean {
  return generatorLateMs > GENERATOR_LATE_MS;
}

/** Whether a climb ends with this step. */
export function isLast(step: Step): boolean {
  return isUndecided(step) || brokenAt(step) !== null;
}

export function verdictOf({ steps, unit }: Climb): Verdict {
  let holds: number | null = null;
  for (const step of steps) {
    const broken = brokenAt(step);
    const at = `${numberText(step.size)} ${unit}`;
    if (isUndecided(step))
      return {
        holds,
        beyond: `at ${at} the load generator was the limit (${numberText(step.generatorLateMs)} ms late)`,
      };
    if (broken) return { holds, beyond: `at ${at}: ${figureText(broken, step.figures[broken] as number)}` };
    holds = step.size;
  }
  return { holds, beyond: 'nothing larger was tried' };
}

const NAMES: Readonly<Record<Objective, readonly [name: string, unit: string]>> = {
  p99Ms: ['p99', ' ms'],
  refused: ['refused or left out', ''],
  memoryMiB: ['memory', ' MiB'],
  restartMs: ['restart', ' ms'],
  deliveryP99Ms: ['delivery p99', ' ms'],
  detectionMs: ['lost after the TTL', ' ms'],
};

export function figureText(objective: Objective, value: number): string {
  const [name, unit] = NAMES[objective];
  return `${name} ${numberText(value)}${unit}`;
}

export function figureName(objective: Objective): string {
  const [name, unit] = NAMES[objective];
  return unit === '' ? name : `${name},${unit}`;
}

export function numberText(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: Math.abs(value) < 10 ? 1 : 0 });
}
