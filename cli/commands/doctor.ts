/** `cairn doctor`: what is wrong with a server, asked of it or found on its host. Exit code 1 with findings. */
import type { CommandAction, FlagValues } from '../../src/base/command-input.ts';
import { UsageError } from '../../src/base/usage-error.ts';
import type { DoctorReport } from '../../src/protocol/explain/doctor.ts';
import { EXIT } from '../api/failure.ts';
import { printJson, printRows, printTable } from '../output/rows.ts';
import { type Screen, screenOf } from '../output/screen.ts';
import { flushed } from '../output/stdout.ts';
import type { Row } from '../output/values.ts';
import { apiCommand } from './session.ts';

/** `onHost` looks at the data folder that `--data-dir` names. */
export function doctorCommand(onHost: (values: FlagValues) => Promise<DoctorReport>): CommandAction {
  const asked = apiCommand(async ({ client, screen }) => print(screen, await client.text('/api/v1/doctor')));
  return async (input) => {
    const { values } = input;
    if (values['data-dir'] === undefined) return asked(input);
    if (values['server'] !== undefined)
      throw new UsageError('cannot use --data-dir and --server together: name the host’s folder, or a server');
    const code = await print(screenOf(values), `${JSON.stringify(await onHost(values))}\n`);
    await flushed();
    return code;
  };
}

async function print(screen: Screen, text: string): Promise<number> {
  // A server of an earlier version names no checks.
  const { findings, checks = [] } = JSON.parse(text) as Pick<DoctorReport, 'findings'> & Partial<DoctorReport>;
  if (screen.form === 'json') await printJson(screen, text);
  else if (screen.form !== 'table') await printRows(screen, COLUMNS, findings as unknown as Row[]);
  else if (findings.length === 0) await screen.print('no findings\n');
  // Sentences do not fit a table: a paragraph for each.
  for (const { id, severity, what, remedy } of screen.form === 'table' ? findings : []) {
    const head = screen.paint(`${id} (${severity})`, severity === 'critical' ? 'bad' : 'warning');
    await screen.print(`${head}\n  ${what}\n  ${remedy}\n`);
  }
  if (screen.form === 'table') {
    const found = new Set(findings.map(({ id }) => id));
    const inOrder = checks.filter(({ id }) => !found.has(id));
    if (inOrder.length > 0) await screen.print('\n');
    if (inOrder.length > 0) await printTable(screen, CHECK_COLUMNS, inOrder as unknown as Row[]);
  }
  return findings.length === 0 ? 0 : EXIT.failed;
}

const COLUMNS = ['id', 'severity', 'what', 'remedy'].map((name) => ({ name }));
const CHECK_COLUMNS = [{ name: 'in order', path: 'id' }, { name: 'value' }];
