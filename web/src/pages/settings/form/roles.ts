/** Roles by group as rows, and as the text that the setting holds (`crew:operator@night,guests:viewer`). Pure. */
import {
  decodeName,
  encodeName,
  formatGrant,
  parseGrant,
  type Role,
} from '../../../../../src/protocol/identity/role.ts';

export interface RoleRow {
  readonly group: string;
  readonly role: Role;
  /** Names, separated by commas, which none of them has. Empty: all queues. */
  readonly queues: string;
}

/** Undefined where the text is none: then it is edited as it is. */
export function rolesOf(text: string): readonly RoleRow[] | undefined {
  const rows: RoleRow[] = [];
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const [name = '', grantText = '', ...more] = pair.trim().split(':');
    const group = decodeName(name);
    const grant = parseGrant(grantText);
    if (!group || typeof grant === 'string' || more.length > 0) return undefined;
    rows.push({ group, role: grant.role, queues: grant.queues?.join(', ') ?? '' });
  }
  return rows;
}

/** A row without a group is not finished, and left out. */
export function textOfRoles(rows: readonly RoleRow[]): string {
  return rows
    .filter(({ group }) => group.trim() !== '')
    .map(({ group, role, queues }) => {
      const names = queues
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '');
      const grant = { role, queues: role === 'admin' || names.length === 0 ? null : names };
      return `${encodeName(group.trim())}:${formatGrant(grant)}`;
    })
    .join(',');
}
