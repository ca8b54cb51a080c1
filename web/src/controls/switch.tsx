/** On or off. */
import { Switch as Base } from '@base-ui/react/switch';
import type { ReactNode } from 'react';

interface SwitchProps {
  readonly id?: string;
  /** Name of the control; absent where `id` is that of a label. */
  readonly label?: string;
  readonly isOn: boolean;
  readonly isDisabled?: boolean | undefined;
  readonly describedBy?: string;
  readonly onChange: (isOn: boolean) => void;
}

export function Switch({ id, label, isOn, isDisabled, describedBy, onChange }: SwitchProps): ReactNode {
  return (
    <span className="switch-row">
      <Base.Root
        nativeButton
        render={<button type="button" />}
        id={id}
        className="switch"
        aria-label={label}
        aria-describedby={describedBy}
        checked={isOn}
        disabled={isDisabled}
        onCheckedChange={onChange}
      >
        <Base.Thumb className="switch-thumb" />
      </Base.Root>
      <span aria-hidden="true">{isOn ? 'On' : 'Off'}</span>
    </span>
  );
}
