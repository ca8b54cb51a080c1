/** Roles by group, a row for each: what the setting's own text needs no rules for. */
import { type ReactNode, useState } from 'react';
import { ROLES, type Role } from '../../../../../src/protocol/identity/role.ts';
import { Select } from '../../../controls/select.tsx';
import { wordsOf } from '../../../parts/format.ts';
import { type RoleRow, rolesOf, textOfRoles } from './roles.ts';

interface RolesFieldProps {
  readonly text: string;
  readonly describedBy: string;
  readonly onChange: (text: string) => void;
}

/** `text`: one that `rolesOf` reads. */
export function RolesField({ text, describedBy, onChange }: RolesFieldProps): ReactNode {
  const [rows, setRows] = useState<readonly RoleRow[]>(() => rolesOf(text) ?? []);
  // Undone, or changed by somebody else; rows that are not finished are not in the text.
  const outside = rolesOf(text) ?? [];
  if (textOfRoles(rows) !== textOfRoles(outside)) setRows(outside);
  const change = (next: readonly RoleRow[]): void => {
    setRows(next);
    onChange(textOfRoles(next));
  };
  const edit = (place: number, part: Partial<RoleRow>): void =>
    change(rows.map((row, i) => (i === place ? { ...row, ...part } : row)));
  return (
    <fieldset className="bare roles" aria-describedby={describedBy}>
      <legend className="hidden">Roles by group</legend>
      {rows.map(({ group, role, queues }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row has nothing else that stays while it is edited
        <div key={i} className="role-row">
          <input
            type="text"
            aria-label="Group"
            placeholder="Group"
            autoComplete="off"
            spellCheck={false}
            value={group}
            onChange={({ target }) => edit(i, { group: target.value })}
          />
          <Select
            label="Role"
            options={ROLES.map((one) => ({ value: one, label: wordsOf(one) }))}
            value={role}
            onChange={(next) => edit(i, { role: next as Role })}
          />
          <input
            type="text"
            aria-label="Queues"
            placeholder="All queues"
            autoComplete="off"
            spellCheck={false}
            disabled={role === 'admin'}
            value={role === 'admin' ? '' : queues}
            onChange={({ target }) => edit(i, { queues: target.value })}
          />
          <button
            type="button"
            className="compact"
            aria-label={`Remove ${group || 'this row'}`}
            onClick={() => change(rows.filter((_, place) => place !== i))}
          >
            Remove
          </button>
        </div>
      ))}
      <button
        type="button"
        className="compact"
        onClick={() => setRows([...rows, { group: '', role: 'viewer', queues: '' }])}
      >
        Add a group
      </button>
    </fieldset>
  );
}
