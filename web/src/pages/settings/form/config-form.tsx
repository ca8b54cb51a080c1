/**
 * Settings of one tab, checked as one types by the very rules that the server has (`changeConfigByText`), with a preview
 * before they are applied. Edits that are not applied hold the reader back from leaving.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import {
  type Config,
  changeConfigByText,
  type FlatConfig,
  flattenConfig,
} from '../../../../../src/protocol/config/config.ts';
import { warningsOf } from '../../../../../src/protocol/config/warnings.ts';
import { auditQuery } from '../../../api/audit.ts';
import { ask } from '../../../api/request.ts';
import { configQuery, historyQuery } from '../../../queries/server.ts';
import { addressInBrowser } from './address-in-browser.ts';
import { ChangePreview } from './change-preview.tsx';
import { useDraft } from './draft.ts';
import type { FieldGroup } from './field-groups.ts';
import { FieldRow } from './field-row.tsx';
import { FormEnd, type Marked } from './form-end.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import { asSetting, refusedFields } from './refusals.ts';
import { fieldText } from './value-text.ts';

type Edits = Readonly<Record<string, string>>;

export function ConfigForm({ config, groups }: { config: Config; groups: readonly FieldGroup[] }): ReactNode {
  const draft = useDraft();
  const [edits, setEdits] = useState<Edits>(draft ? { [draft.path]: draft.text } : {});
  const [isPreview, setPreview] = useState(false);
  const current = flattenConfig(config);
  const changed = changedBy(edits, groups, current);
  const apply = useApply(config, () => {
    setEdits({});
    setPreview(false);
  });
  const edit = (next: Edits): void => {
    apply.reset();
    setEdits(next);
  };
  const checked = changeConfigByText(config, changed);
  const faults = { ...refusedFields(apply.error, asSetting), ...(checked.ok ? {} : checked.fields) };
  const count = Object.keys(changed).length;
  return (
    <form
      className="settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!checked.ok || count === 0) return;
        // What was refused may be accepted now: a file is there, another administrator has freed a name.
        if (apply.isError) apply.reset();
        setPreview(true);
      }}
    >
      {groups.map(({ title, fields }) => (
        <Group key={title} title={title}>
          {fields.map((field) => (
            <FieldRow
              key={field.path}
              field={field}
              text={edits[field.path] ?? fieldText(field, current.get(field.path))}
              isChanged={field.path in changed}
              fault={faults[field.path]}
              warnings={warningsOf(checked.ok ? checked.config : config, [field.path])}
              onChange={(text) => edit({ ...edits, [field.path]: text })}
            />
          ))}
        </Group>
      ))}
      {count > 0 || apply.isSuccess ? (
        <FormEnd
          count={count}
          isValid={checked.ok}
          isApplied={apply.isSuccess && count === 0}
          marked={markedOf(faults, groups)}
          warnings={apply.data?.warnings ?? []}
          onUndo={() => edit({})}
        />
      ) : null}
      {isPreview && checked.ok ? (
        <ChangePreview
          before={current}
          after={flattenConfig(checked.config)}
          paths={checked.changed}
          isApplying={apply.isPending}
          error={apply.error}
          onApply={() => apply.mutate(changed)}
          onClose={() => setPreview(false)}
        />
      ) : null}
      <LeaveGuard count={count} isApplying={apply.isPending} />
    </form>
  );
}

/** What is edited into another value. */
function changedBy(edits: Edits, groups: readonly FieldGroup[], current: FlatConfig): Edits {
  const entries = groups
    .flatMap(({ fields }) => fields)
    .flatMap((field) => {
      const text = edits[field.path];
      return text === undefined || text === fieldText(field, current.get(field.path)) ? [] : [[field.path, text]];
    });
  return Object.fromEntries(entries);
}

/** What something is wrong with, in the order of the page; then what another tab has. */
function markedOf(faults: Edits, groups: readonly FieldGroup[]): Marked[] {
  const here = groups.flatMap(({ fields }) => fields.map(({ path }) => path));
  const elsewhere = Object.keys(faults).filter((path) => !here.includes(path));
  return [
    ...here.filter((path) => path in faults).map((path) => ({ path, isHere: true })),
    ...elsewhere.map((path) => ({ path, isHere: false })),
  ];
}

function Group({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section aria-label={title || undefined}>
      {title === '' ? null : <h3 className="group-title">{title}</h3>}
      <div className="panel setting-list">{children}</div>
    </section>
  );
}

interface Applied {
  readonly config: Config;
  readonly warnings: readonly string[];
}

async function send(kvMap: Edits): Promise<Applied> {
  const response = await ask('/api/v1/configKV', {
    method: 'PUT',
    body: JSON.stringify({ kvMap }),
    headers: { 'content-type': 'application/json' },
  });
  const warnings = response.headers.get('x-cairn-warning');
  return {
    config: (await response.json()) as Config,
    // Headers of one name come joined; a warning has no comma followed by the name of a setting.
    warnings: warnings === null ? [] : warnings.split(/, (?=[a-z]+\.[A-Za-z.]+ is )/),
  };
}

/** Sends the change. Where the address changed, the old one is closed by then: the browser goes to the new one. */
function useApply(before: Config, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: send,
    onSuccess: ({ config }) => {
      client.setQueryData(configQuery.queryKey, config);
      // Who goes back to a list of changes finds this one: the event that tells of it comes seconds later.
      for (const { queryKey } of [historyQuery, auditQuery])
        void client.invalidateQueries({ queryKey, refetchType: 'all' });
      onDone();
      if (config.addr === before.addr) return;
      window.location.assign(
        addressInBrowser(config.addr, window.location.hostname) + window.location.pathname + window.location.search,
      );
    },
  });
}
