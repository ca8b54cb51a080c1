/** Colors on a terminal only; `NO_COLOR` and `--no-color` take them away (no-color.org). */

export type Color = 'good' | 'warning' | 'bad' | 'dim' | 'head';

const CODES: Readonly<Record<Color, number>> = { good: 32, warning: 33, bad: 31, dim: 2, head: 1 };

export type Paint = (text: string, color: Color | undefined) => string;

export function paintOf(isColored: boolean): Paint {
  if (!isColored) return (text) => text;
  return (text, color) => (color === undefined || text === '' ? text : `\u001b[${CODES[color]}m${text}\u001b[0m`);
}

export function isColored(
  noColor: boolean,
  env: Readonly<Record<string, string | undefined>> = process.env,
  stream: { readonly isTTY?: boolean } = process.stdout,
): boolean {
  return stream.isTTY === true && !noColor && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
}

const COLOR_OF_WORD: Readonly<Record<string, Color>> = {
  Succeeded: 'good',
  Running: 'good',
  RestoreSucceeded: 'good',
  CheckpointSucceeded: 'good',
  alive: 'good',
  ok: 'good',
  running: 'good',
  succeeded: 'good',
  Failed: 'bad',
  CheckpointFailed: 'bad',
  RestoreFailed: 'bad',
  VolumeUnready: 'bad',
  RestoreVolumeUnready: 'bad',
  failed: 'bad',
  lost: 'bad',
  critical: 'bad',
  stranded: 'bad',
  Stopped: 'warning',
  stopped: 'warning',
  late: 'warning',
  warning: 'warning',
  drained: 'warning',
  restoring: 'warning',
  deregistered: 'dim',
};

/** Of a status, state, phase or severity. */
export function colorOf(word: string): Color | undefined {
  return COLOR_OF_WORD[word];
}
