/**
 * Assertions about our own code. A failed assertion is a bug of ours: it crashes the actor or the shard, and the
 * supervisor decides. Never use it for what a peer or the environment sent.
 */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

export function assert(condition: unknown, what: string): asserts condition {
  if (!condition) throw new AssertionError(`BUG: ${what}`);
}

/** Ends an exhaustive `switch`; the compiler proves that it cannot be reached. */
export function unreachable(value: never): never {
  throw new AssertionError(`BUG: unreachable variant ${String((value as { type?: unknown })?.type ?? typeof value)}`);
}
