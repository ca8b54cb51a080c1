/** A short text about a control, on hover and on focus. It adds to the control's name, and never replaces it. */
import { Tooltip as Base } from '@base-ui/react/tooltip';
import type { ReactElement, ReactNode } from 'react';

export function Tooltip({ text, children }: { text: ReactNode; children: ReactElement }): ReactNode {
  return (
    <Base.Root>
      <Base.Trigger render={children} />
      <Base.Portal>
        <Base.Positioner className="positioner" sideOffset={6}>
          <Base.Popup className="tooltip" role="tooltip">
            {text}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
