/**
 * Roles (contract section 14): what a group of the identity provider, or a service token, may do. A grant is a role,
 * everywhere or for some queues. As text it is `viewer`, `operator@a` or `viewer@a|b`, with `:` `,` `@` `%` and `|` of a
 * name percent-encoded. Pure.
 */
import { queueNameSchema } from '../id.ts';

export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export interface Grant {
  readonly role: Role;
  /** Null: every queue. Only viewers and operators are bound to queues. */
  readonly queues: readonly string[] | null;
}

/** What a caller's grants come to. */
export interface Scope {
  /** Queues whose jobs the caller sees; null: all. */
  readonly reads: readonly string[] | null;
  /** Queues that the caller operates; null: all. */
  readonly operates: readonly string[] | null;
}

export const EVERYWHERE: Scope = { reads: null, operates: null };

/** Each grant stands alone: an operator of one queue who is also a viewer of all sees all and operates in one. */
export function scopeOf(grants: readonly Grant[]): Scope {
  return { reads: queuesOf(grants), operates: queuesOf(grants.filter(({ role }) => role !== 'viewer')) };
}

function queuesOf(grants: readonly Grant[]): readonly string[] | null {
  if (grants.some(({ queues }) => queues === null)) return null;
  return [...new Set(grants.flatMap(({ queues }) => queues ?? []))].sort();
}

export function formatGrant({ role, queues }: Grant): string {
  return queues === null ? role : `${role}@${queues.map(encodeName).join('|')}`;
}

/** The grant, or why the text is none. */
export function parseGrant(text: string): Grant | string {
  const [name = '', scope, ...more] = text.split('@');
  const role = ROLES.find((known) => known === name);
  if (!role) return `is not a role: want ${ROLES.join(', ')}, or viewer@<queue>`;
  if (scope === undefined) return { role, queues: null };
  if (role === 'admin') return 'binds admin to a queue: only viewer and operator can be';
  if (more.length > 0) return 'has more than one @: write an @ in a queue name as %40';
  const queues = scope.split('|').map(decodeName);
  const bad = queues.find((queue) => queue === undefined || !queueNameSchema.safeParse(queue).success);
  if (queues.includes(undefined) || bad !== undefined) return 'names something after @ that is not a queue';
  return { role, queues: [...new Set(queues as string[])] };
}

/** The characters that separate, and the percent sign. */
export function encodeName(name: string): string {
  return name.replace(/[:,@%|]/g, (char) => encodeURIComponent(char));
}

export function decodeName(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The queues that a caller sees; null: all. */
export type Queues = readonly string[] | null;
