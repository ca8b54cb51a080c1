/** What a command is given when this is typed, by the very parser of the command line. */
import assert from 'node:assert/strict';
import { parse } from '../../cli/frame/parser.ts';
import type { CommandSpec } from '../../cli/frame/spec.ts';
import { COMMANDS } from '../../cli/specs/commands.ts';
import type { CommandInput } from '../../src/base/command-input.ts';

export function commandSpec(path: string): CommandSpec {
  return COMMANDS.find((spec) => spec.path === path) ?? assert.fail(`there is no command ${path}`);
}

/** Throws `UsageError`. */
export function typed(path: string, ...argv: readonly string[]): CommandInput {
  const parsed = parse(commandSpec(path), argv);
  return parsed.kind === 'input' ? parsed.input : assert.fail(`${argv.join(' ')} asks for help`);
}
