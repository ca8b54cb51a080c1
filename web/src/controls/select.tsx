/** A list that opens below its button; one of it is chosen, by pointer, by arrows, or by typing how it begins. */
import { Select as Base } from '@base-ui/react/select';
import type { ReactNode } from 'react';

export interface Option {
  readonly value: string;
  readonly label: string;
}

interface SelectProps {
  /** Name of the control; absent where `id` is that of a label. */
  readonly label?: string;
  readonly id?: string;
  readonly options: readonly Option[];
  readonly value: string;
  readonly isDisabled?: boolean | undefined;
  readonly isBad?: boolean;
  readonly describedBy?: string;
  readonly onChange: (value: string) => void;
}

export function Select(props: SelectProps): ReactNode {
  const { label, id, options, value, isDisabled, isBad, describedBy, onChange } = props;
  return (
    <Base.Root items={options} value={value} disabled={isDisabled} onValueChange={(next) => onChange(next ?? '')}>
      <Base.Trigger
        id={id}
        className={value !== '' && options[0]?.value === '' ? 'select select-set' : 'select'}
        aria-label={label}
        aria-invalid={isBad || undefined}
        aria-describedby={describedBy}
      >
        <Base.Value />
        <Base.Icon aria-hidden="true">
          <span className="select-icon" />
        </Base.Icon>
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="positioner" sideOffset={4} alignItemWithTrigger={false}>
          <Base.Popup className="popup">
            <Base.List className="popup-list">
              {options.map((option) => (
                <Base.Item key={option.value} value={option.value} className="option">
                  <Base.ItemText>{option.label}</Base.ItemText>
                  <Base.ItemIndicator className="option-mark" aria-hidden="true">
                    ✓
                  </Base.ItemIndicator>
                </Base.Item>
              ))}
            </Base.List>
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
