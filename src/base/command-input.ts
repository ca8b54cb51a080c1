/** What a command is given: its flags and arguments, already read, whatever the parser. */

/** By long name without the dashes (`data-dir`); a flag that was not given is absent. */
export type FlagValues = Readonly<Record<string, string | boolean | readonly string[] | undefined>>;

export interface CommandInput {
  readonly values: FlagValues;
  readonly args: readonly string[];
  /** What follows `--`, for a command that runs another one. */
  readonly rest: readonly string[];
}

/** Resolves with the exit code. */
export type CommandAction = (input: CommandInput) => Promise<number>;
