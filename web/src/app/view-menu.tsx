/** How things are shown: theme, zone of times, density, keys. In a file of its own, fetched ahead or when it is opened. */
import { Menu } from '@base-ui/react/menu';
import { type ReactNode, useSyncExternalStore } from 'react';
import { Tooltip } from '../controls/tooltip.tsx';
import { Icon } from '../parts/icon.tsx';
import { currentTheme, onThemeChange, setTheme, THEMES } from '../parts/theme.ts';
import { density, shortcuts, timeZone, usePreference } from '../preferences/preferences.ts';
import { useRole } from '../queries/role.ts';

const LOCAL_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;
const LABELS = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
  local: `Local (${LOCAL_ZONE})`,
  utc: 'UTC',
  comfortable: 'Comfortable',
  compact: 'Compact',
  on: 'On',
  off: 'Off',
} as const;

export function ViewMenu({ isOpenAtOnce, onKeys }: { isOpenAtOnce: boolean; onKeys: () => void }): ReactNode {
  const theme = useSyncExternalStore(onThemeChange, currentTheme);
  const zone = usePreference(timeZone);
  const spacing = usePreference(density);
  const keys = usePreference(shortcuts);
  const { userName, mayChange } = useRole();
  return (
    <Menu.Root defaultOpen={isOpenAtOnce}>
      <Tooltip text="Theme, times, density and keys">
        <Menu.Trigger className="compact icon-button" aria-label="View">
          <Icon name="view" />
        </Menu.Trigger>
      </Tooltip>
      <Menu.Portal>
        <Menu.Positioner className="positioner" sideOffset={6} align="end">
          <Menu.Popup className="popup menu">
            {userName === '' ? null : (
              <div className="menu-label menu-user">
                {userName}
                {mayChange ? '' : ', read only'}
              </div>
            )}
            <Group label="Theme" value={theme} values={THEMES} onChange={setTheme} />
            <Group label="Times" value={zone} values={timeZone.values} onChange={(next) => timeZone.choose(next)} />
            <Group label="Density" value={spacing} values={density.values} onChange={(next) => density.choose(next)} />
            <Group label="Keys" value={keys} values={shortcuts.values} onChange={(next) => shortcuts.choose(next)} />
            <Menu.Separator className="menu-line" />
            <Menu.Item className="option" onClick={onKeys}>
              Show all keys
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function Group<T extends keyof typeof LABELS>(props: {
  label: string;
  value: T;
  values: readonly T[];
  onChange: (value: T) => void;
}): ReactNode {
  const { label, value, values, onChange } = props;
  return (
    <Menu.Group>
      <Menu.GroupLabel className="menu-label">{label}</Menu.GroupLabel>
      <Menu.RadioGroup value={value} onValueChange={(next: T) => onChange(next)}>
        {values.map((one) => (
          <Menu.RadioItem key={one} value={one} className="option" closeOnClick={false}>
            {LABELS[one]}
            <Menu.RadioItemIndicator className="option-mark" aria-hidden="true">
              ✓
            </Menu.RadioItemIndicator>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </Menu.Group>
  );
}
