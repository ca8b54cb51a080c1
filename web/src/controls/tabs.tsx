/** Parts of one page of which one is shown; arrows go from tab to tab. Pages with an address of their own are links instead. */
import { Tabs as Base } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export interface TabPart {
  readonly name: string;
  readonly label: ReactNode;
  readonly content: ReactNode;
}

export function Tabs(props: {
  label: string;
  parts: readonly TabPart[];
  chosen: string;
  onChoose: (name: string) => void;
}): ReactNode {
  const { label, parts, chosen, onChoose } = props;
  return (
    <Base.Root value={chosen} onValueChange={(name) => onChoose(String(name))}>
      <Base.List className="tabs" aria-label={label}>
        {parts.map(({ name, label: text }) => (
          <Base.Tab key={name} value={name} className="tab">
            {text}
          </Base.Tab>
        ))}
      </Base.List>
      {parts.map(({ name, content }) => (
        <Base.Panel key={name} value={name}>
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
