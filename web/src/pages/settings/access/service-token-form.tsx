/** Makes a service token, and shows it once. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { ROLES, type Role } from '../../../../../src/protocol/identity/role.ts';
import {
  type ServiceTokenMade,
  type ServiceTokenRequest,
  serviceTokenRequestSchema,
} from '../../../../../src/protocol/identity/service-token.ts';
import { sendJson } from '../../../api/request.ts';
import { DialogEnd, useHold, useOutcome } from '../../../controls/dialog.tsx';
import { Select } from '../../../controls/select.tsx';
import { CopyButton } from '../../../parts/command-line.tsx';
import { wordsOf } from '../../../parts/format.ts';
import { LocalTime } from '../../../parts/time.tsx';
import { serviceTokensQuery } from '../../../queries/server.ts';
import { refusalText, refusedFields } from '../form/refusals.ts';
import { TextField } from '../form/text-field.tsx';
import type { Faults } from './identity-fields.ts';
import { inHours, TTL_FAULT } from './token-time.ts';

const TTL_EXAMPLE = '30d';
/** What is wrong with the body as a whole needs no name. */
const LABELS = { name: 'Name', queues: 'Queues', role: 'Role', ttl: 'Valid for', body: '' };

export function ServiceTokenForm(): ReactNode {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('viewer');
  const [queues, setQueues] = useState('');
  const [ttl, setTtl] = useState(TTL_EXAMPLE);
  const [isTouched, setTouched] = useState(false);
  const client = useQueryClient();
  const make = useMutation({
    mutationFn: (body: ServiceTokenRequest) =>
      sendJson<ServiceTokenMade>('POST', '/api/v1/security/serviceToken', body),
    onSuccess: () => {
      setTouched(false);
      return client.invalidateQueries({ queryKey: serviceTokensQuery.queryKey });
    },
  });
  useHold(!make.isSuccess && (name !== '' || role !== 'viewer' || queues !== '' || ttl !== TTL_EXAMPLE));
  const request = requestOf(name, role, queues, ttl);
  const faults = isTouched ? { ...refusedFields(make.error), ...faultsOf(request) } : {};
  return (
    <form
      aria-label="Make a service token"
      onSubmit={(event) => {
        event.preventDefault();
        setTouched(true);
        if (Object.keys(faultsOf(request)).length === 0) make.mutate(request);
      }}
    >
      {make.data ? <Made made={make.data} /> : null}
      {/* What was made takes its place: one more Enter must not make another. */}
      <fieldset className="bare" hidden={make.isSuccess} disabled={make.isSuccess}>
        <TextField
          label="Name"
          about="What the token is for."
          example="nightly report"
          value={name}
          fault={faults['name']}
          onChange={setName}
        />
        <RoleChoice role={role} onChange={setRole} />
        <TextField
          label="Queues"
          about={role === 'admin' ? 'An administrator has all queues.' : 'Leave empty for all queues.'}
          example="night, genomics"
          isDisabled={role === 'admin'}
          value={role === 'admin' ? '' : queues}
          fault={faults['queues']}
          onChange={setQueues}
        />
        <TextField
          label="Valid for"
          about="Ten years at most. It can be revoked at any time."
          example={TTL_EXAMPLE}
          isShort
          value={ttl}
          fault={faults['ttl']}
          onChange={setTtl}
        />
        <DialogEnd fault={refusalText(make.error, LABELS)}>
          <button type="submit" className="primary" disabled={make.isPending}>
            Make the token
          </button>
        </DialogEnd>
      </fieldset>
    </form>
  );
}

function requestOf(name: string, role: Role, queues: string, ttl: string): ServiceTokenRequest {
  const names = queues
    .split(',')
    .map((queue) => queue.trim())
    .filter((queue) => queue !== '');
  return {
    name: name.trim(),
    role,
    ttl: inHours(ttl),
    ...(role === 'admin' || names.length === 0 ? {} : { queues: names }),
  };
}

/** Why the server would refuse it, by field. */
function faultsOf(request: ServiceTokenRequest): Faults {
  const { error } = serviceTokenRequestSchema.safeParse(request);
  return Object.fromEntries(
    (error?.issues ?? []).map(({ path: [field], message }) => [String(field), field === 'ttl' ? TTL_FAULT : message]),
  );
}

function RoleChoice({ role, onChange }: { role: Role; onChange: (role: Role) => void }): ReactNode {
  const id = useId();
  return (
    <div className="setting">
      <div className="setting-about">
        <label htmlFor={id}>Role</label>
        <p>
          A viewer reads. An operator also makes node tokens, drains nodes and manages webhooks. An administrator
          changes everything.
        </p>
      </div>
      <div className="setting-value">
        <Select
          id={id}
          label="Role"
          options={ROLES.map((one) => ({ value: one, label: wordsOf(one) }))}
          value={role}
          onChange={(next) => onChange(next as Role)}
        />
      </div>
    </div>
  );
}

function Made({ made: { token, expiresAt } }: { made: ServiceTokenMade }): ReactNode {
  const outcome = useOutcome(true);
  return (
    <div role="status" {...outcome}>
      <p>
        Copy it now: it is shown once only. It is valid until <LocalTime at={expiresAt} />. The program sends it as{' '}
        <code>Authorization: Bearer TOKEN</code>.
      </p>
      <p className="made-token">
        <code>{token}</code> <CopyButton text={token} what="the token" hasWords isPrimary onCopy={outcome.onCopy} />
      </p>
      <DialogEnd cancel="Done" />
    </div>
  );
}
