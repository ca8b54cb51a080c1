/**
 * Fields of the configuration, checked as one types by the very rules that the server has (`changeConfigByText`), with a
 * preview before they are applied.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Config, changeConfigByText, flattenConfig } from '../../../../src/protocol/config/config.ts';
import { CONFIG_FIELDS } from '../../../../src/protocol/config/config-fields.ts';
import { configQuery } from '../../api/queries.ts';
import { ApiError, sendJson } from '../../api/request.ts';
import { addressInBrowser } from './address-in-browser.ts';
import { ChangePreview } from './change-preview.tsx';
import { FieldRow } from './field-row.tsx';
import { valueText } from './value-text.ts';

export function ConfigForm(props: { config: Config; fits: (path: string) => boolean }): ReactNode {
  const { config, fits } = props;
  const [edits, setEdits] = useState<Readonly<Record<string, string>>>({});
  const [isPreview, setPreview] = useState(false);
  const current = flattenConfig(config);
  const changed = Object.fromEntries(
    Object.entries(edits).filter(([path, text]) => text !== valueText(current.get(path))),
  );
  const apply = useApply(config, () => {
    setEdits({});
    setPreview(false);
  });
  const checked = changeConfigByText(config, changed);
  const faults = { ...refusedFields(apply.error), ...(checked.ok ? {} : checked.fields) };
  const count = Object.keys(changed).length;
  return (
    <form
      className="panel"
      onSubmit={(event) => {
        event.preventDefault();
        if (checked.ok && count > 0) setPreview(true);
      }}
    >
      {CONFIG_FIELDS.filter(({ path }) => fits(path)).map((field) => (
        <FieldRow
          key={field.path}
          field={field}
          text={edits[field.path] ?? valueText(current.get(field.path))}
          isChanged={field.path in changed}
          fault={faults[field.path]}
          onChange={(text) => {
            apply.reset();
            setEdits({ ...edits, [field.path]: text });
          }}
        />
      ))}
      <div className="form-end">
        <button type="submit" className="primary" disabled={count === 0 || !checked.ok}>
          {count === 0 ? 'Nothing changed' : `Review ${count} ${count === 1 ? 'change' : 'changes'}`}
        </button>
        <button type="button" disabled={count === 0} onClick={() => setEdits({})}>
          Undo
        </button>
        {apply.isSuccess && count === 0 ? <output className="good">Applied</output> : null}
      </div>
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
    </form>
  );
}

/** Sends the change. Where the address changed, the old one is closed by then: the browser goes to the new one. */
function useApply(before: Config, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (kvMap: Readonly<Record<string, string>>) => sendJson<Config>('PUT', '/api/v1/configKV', { kvMap }),
    onSuccess: (config) => {
      client.setQueryData(configQuery.queryKey, config);
      if (config.addr !== before.addr) {
        window.location.assign(
          addressInBrowser(config.addr, window.location.hostname) + window.location.pathname + window.location.search,
        );
      }
      onDone();
    },
  });
}

function refusedFields(error: Error | null): Record<string, string> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(Object.entries(error.fields).map(([path, reason]) => [path, String(reason)]));
}
