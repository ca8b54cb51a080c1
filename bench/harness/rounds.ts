/** Targets in turn, round after round: a machine that slows down slows them all. */
import type { Measured } from '../load/run-load.ts';
import { type AnyRow, type RunOptions, rowOf } from './table.ts';

export interface Target {
  readonly name: string;
  /** Units (beats) in one message. */
  readonly perMessage: number;
  readonly measure: () => Promise<Measured>;
  /** The target that it stands beside, where that is not the one of all. */
  readonly ratioTo?: string;
}

/** Odd, so that the median is a run. */
export const ROUNDS = 5;

/**
 * Rounds before those that count where only what a server of weeks costs is of interest. Its threads compile what is hot for
 * some 300,000 requests, ours longer than a handler of one page: in one run of 15 rounds of `steady-heartbeats` 35 µs a beat,
 * 21.8, 20.8, 19.7, 18.8, 18.3, and then 15.7 to 19.5.
 */
export const LONG_WARM_UP = 6;

/**
 * A row for each target, medians of the rounds (five) after those that warm up; CPU beside that of `ratioTo`. Who cannot be
 * measured drops out with the reason in its row, and the others go on.
 */
export async function contest(
  targets: readonly Target[],
  { unit, ratioTo, warmUps = 1 }: { readonly unit: string; readonly ratioTo: string; readonly warmUps?: number },
  { smoke, progress, rounds = ROUNDS }: RunOptions,
): Promise<AnyRow[]> {
  const runs = new Map<string, Measured[]>(targets.map(({ name }) => [name, []]));
  const dropped = new Map<string, string>();
  for (let round = smoke ? 1 : 1 - warmUps; round <= (smoke ? 1 : rounds); round++) {
    for (const { name, measure, perMessage } of targets.filter((target) => !dropped.has(target.name))) {
      try {
        const measured = mustBeClean(await measure());
        const cpu = (measured.cpuMicroseconds / perMessage).toFixed(2);
        progress(`${round <= 0 ? 'warm-up' : `round ${round}`}: ${name} ${cpu} µs CPU a ${unit}`);
        if (round > 0) runs.get(name)?.push(measured);
      } catch (error) {
        dropped.set(name, error instanceof Error ? error.message : String(error));
      }
    }
  }
  const rows = targets.map(({ name, perMessage }): AnyRow => {
    const reason = dropped.get(name);
    if (reason !== undefined) return { name, absent: reason, isFailure: true };
    return rowOf(name, unit, perMessage, runs.get(name) as readonly Measured[]);
  });
  return withRatios(rows, new Map(targets.map((target) => [target.name, target.ratioTo ?? ratioTo])));
}

/** Refusals are told beside the figures; a message that failed or was given up leaves no figure to trust. */
export function mustBeClean(measured: Measured): Measured {
  const { failed, givenUp } = measured;
  if (failed + givenUp > 0) throw new Error(`${failed} messages failed, ${givenUp} were given up`);
  return measured;
}

function withRatios(rows: readonly AnyRow[], peers: ReadonlyMap<string, string>): AnyRow[] {
  return rows.map((row) => {
    const ratioTo = peers.get(row.name) ?? '';
    const peer = rows.find(({ name }) => name === ratioTo);
    // A run too short for the kernel's clock (smoke) has no CPU figure to divide by.
    if ('absent' in row || !peer || 'absent' in peer || peer.cpuMicroseconds === 0) return row;
    return { ...row, ratio: row.cpuMicroseconds / peer.cpuMicroseconds, ratioTo };
  });
}
