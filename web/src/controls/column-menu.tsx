/** Which columns a list shows. The first stays: it names the row. */
import { Menu } from '@base-ui/react/menu';
import type { ReactNode } from 'react';
import type { HiddenColumns } from '../preferences/hidden-columns.ts';
import { usePreference } from '../preferences/preferences.ts';

interface ColumnMenuProps {
  readonly columns: readonly { readonly id: string; readonly label: string }[];
  readonly hidden: HiddenColumns;
  /** Ids of columns that are chosen, and not shown because the window is too narrow. */
  readonly roomless?: readonly string[];
}

export function ColumnMenu({ columns, hidden, roomless = [] }: ColumnMenuProps): ReactNode {
  const ids = usePreference(hidden);
  return (
    <Menu.Root>
      <Menu.Trigger className="column-button">Columns</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={6} align="end">
          <Menu.Popup className="popup menu">
            {columns.slice(1).map(({ id, label }) => (
              <Menu.CheckboxItem
                key={id}
                className="option"
                closeOnClick={false}
                checked={!ids.includes(id)}
                onCheckedChange={(isShown) => hidden.show(id, isShown)}
              >
                <span>
                  {label}
                  {roomless.includes(id) ? <span className="option-note">Hidden: the window is too narrow</span> : null}
                </span>
                <Menu.CheckboxItemIndicator className="option-mark" aria-hidden="true">
                  ✓
                </Menu.CheckboxItemIndicator>
              </Menu.CheckboxItem>
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}
