/** Fields of what the server answers, read with care: an answer may be another server's, or a proxy's. */
export type { Reply } from './outcome.ts';

export function objectIn(value: unknown, name: string): Readonly<Record<string, unknown>> | undefined {
  const inner = fieldOf(value, name);
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>) : undefined;
}

export function numberIn(value: unknown, name: string): number | undefined {
  const inner = fieldOf(value, name);
  return typeof inner === 'number' && Number.isSafeInteger(inner) ? inner : undefined;
}

export function textIn(value: unknown, name: string): string | undefined {
  const inner = fieldOf(value, name);
  return typeof inner === 'string' ? inner : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

export function fieldTrue(value: unknown, name: string): boolean {
  return fieldOf(value, name) === true;
}
