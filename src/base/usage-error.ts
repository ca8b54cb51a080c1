/** The command line, or the environment, says something that cannot be meant: exit code 2, and the sentence is for a person. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Also where the runtime's own reader of options refused a flag. */
export function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS_');
}
