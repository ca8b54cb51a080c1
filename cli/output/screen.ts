/** Where and how a command prints: the form that was asked for, the terminal's width and whether it has colors. */
import type { FlagValues } from '../../src/base/command-input.ts';
import { UsageError } from '../../src/base/usage-error.ts';
import type { OutputName } from '../frame/spec.ts';
import { isColored, type Paint, paintOf } from './colors.ts';
import { print } from './stdout.ts';

export interface Screen {
  readonly form: OutputName;
  /** Characters of a line; null where the output goes to no terminal. */
  readonly width: number | null;
  readonly paint: Paint;
  readonly print: (text: string | Uint8Array) => Promise<void>;
}

/** Throws `UsageError`. */
export function screenOf(values: FlagValues): Screen {
  const asked = values['output'] as OutputName | undefined;
  if (values['json'] && asked !== undefined && asked !== 'json') {
    throw new UsageError(`cannot use --json and --output ${asked} together`);
  }
  const { isTTY, columns } = process.stdout;
  return {
    form: values['json'] ? 'json' : (asked ?? 'table'),
    // A terminal that does not know its size says 0.
    width: isTTY ? columns || 80 : null,
    paint: paintOf(isColored(values['no-color'] === true)),
    print,
  };
}
