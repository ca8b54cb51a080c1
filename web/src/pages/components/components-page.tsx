/** Every component in every state, for those who change one. Nothing leads here; the tests look at it in each theme. */
import { type ReactNode, useState } from 'react';
import { ConfirmButton } from '../../controls/confirm-button.tsx';
import { Dialog } from '../../controls/dialog.tsx';
import { Select } from '../../controls/select.tsx';
import { Switch } from '../../controls/switch.tsx';
import { Tooltip } from '../../controls/tooltip.tsx';
import { Badge } from '../../parts/badge.tsx';
import { CommandLine } from '../../parts/command-line.tsx';
import { Facts } from '../../parts/facts.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Empty, Failure, Loading, Waiting } from '../../parts/states.tsx';
import { type Column, VirtualTable } from '../../parts/table.tsx';
import type { Range } from '../../range/range.ts';
import { RangePicker } from '../../range/range-picker.tsx';

const BADGES = ['alive', 'late', 'lost', 'running', 'stranded', 'succeeded', 'failed', 'Unknown'];
const OPTIONS = [
  { value: 'a', label: 'First' },
  { value: 'b', label: 'Second, with a much longer label' },
];
const nothing = (): void => undefined;

export function ComponentsPage(): ReactNode {
  return (
    <>
      <PageHead title="Components" />
      <Buttons />
      <Fields />
      <Texts />
      <Part title="States">
        <Loading what="jobs" />
        <Waiting what="jobs" />
        <Empty title="No jobs yet">
          <p>Run one with cairn run.</p>
        </Empty>
        <Failure error={new Error('The disk is full. Free some space, then try again.')} retry={nothing} />
      </Part>
      <Part title="Table">
        <VirtualTable label="Rows" columns={COLUMNS} rows={ROWS} keyOf={({ id }) => id} sort="-id" onSort={nothing} />
      </Part>
    </>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }): ReactNode {
  return (
    <section className="panel" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Buttons(): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <Part title="Buttons and dialogs">
      <div className="form-end">
        <button type="button" className="primary">
          Primary
        </button>
        <button type="button" className="primary" disabled>
          Primary, disabled
        </button>
        <button type="button">Plain</button>
        <button type="button" disabled>
          Plain, disabled
        </button>
        <button type="button" className="danger">
          Danger
        </button>
        <button type="button" className="link">
          Link
        </button>
        <Tooltip text="A few words more">
          <button type="button">With a tooltip</button>
        </Tooltip>
        <button type="button" onClick={() => setOpen(true)}>
          Open a dialog
        </button>
        <ConfirmButton action="Remove" question="Remove it?" consequence="It is gone then." onConfirm={nothing} />
      </div>
      {isOpen ? (
        <Dialog title="A dialog" onClose={() => setOpen(false)}>
          <p>What it is about.</p>
        </Dialog>
      ) : null}
    </Part>
  );
}

function Fields(): ReactNode {
  const [isOn, setOn] = useState(true);
  const [value, setValue] = useState('a');
  const [range, setRange] = useState<Range>('24h');
  return (
    <Part title="Fields">
      <div className="form-end">
        <Select label="Choice" options={OPTIONS} value={value} onChange={setValue} />
        <Select label="Choice, wrong" options={OPTIONS} value={value} isBad onChange={setValue} />
        <Select label="Choice, disabled" options={OPTIONS} value={value} isDisabled onChange={setValue} />
        <Switch label="Switch" isOn={isOn} onChange={setOn} />
        <Switch label="Switch, off" isOn={false} onChange={nothing} />
        <Switch label="Switch, disabled" isOn={true} isDisabled onChange={nothing} />
        <input type="text" aria-label="Text" defaultValue="Text" />
        <input type="text" aria-label="Text, wrong" aria-invalid="true" defaultValue="Wrong" />
        <input type="text" aria-label="Text, disabled" disabled defaultValue="Disabled" />
        <input type="search" aria-label="Search" placeholder="Search" />
        <RangePicker value={range} onChange={setRange} />
      </div>
    </Part>
  );
}

function Texts(): ReactNode {
  return (
    <Part title="Texts">
      <p>
        {BADGES.map((state) => (
          <span key={state}>
            <Badge state={state} />{' '}
          </span>
        ))}
      </p>
      <p className="good">Good news.</p>
      <p className="warn">A warning.</p>
      <p className="bad">A failure.</p>
      <p className="muted">
        An aside, with <code>code</code> and <kbd>K</kbd>.
      </p>
      <p className="notice">A notice.</p>
      <p className="notice notice-warn">A notice that warns.</p>
      <ul className="findings">
        {['good', 'info', 'warn', 'bad'].map((tone) => (
          <li key={tone} className={`finding finding-${tone}`}>
            A finding.<span className="finding-remedy">What to do about it.</span>
          </li>
        ))}
      </ul>
      <Facts
        facts={[
          ['Name', 'Value'],
          ['Figure', '1,234'],
        ]}
      />
      <CommandLine line="sudo cairn agent --server https://cairn.example.com" />
    </Part>
  );
}

interface Row {
  readonly id: string;
  readonly state: string;
  readonly figure: number;
}

const ROWS: readonly Row[] = [
  { id: 'row-1', state: 'running', figure: 1 },
  { id: 'row-2', state: 'failed', figure: 23_456 },
];
const COLUMNS: readonly Column<Row>[] = [
  { id: 'id', label: 'Id', width: '1fr', sort: 'id', cell: ({ id }) => id },
  { id: 'state', label: 'State', width: '1fr', sort: 'state', cell: ({ state }) => <Badge state={state} /> },
  { id: 'figure', label: 'Figure', width: '1fr', isNumber: true, cell: ({ figure }) => figure },
];
