/** The command line, or the environment, says something that cannot be meant: exit code 2, and the sentence is for a person. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
