/** The folders that a command of the server's own host works on. */
import type { FlagValues } from '../base/command-input.ts';

export function dataFolderOf(values: FlagValues): string {
  return (values['data-dir'] as string | undefined) ?? process.env['CAIRN_DATA_DIR'] ?? '/var/lib/cairn';
}

export function logFolderOf(values: FlagValues): string {
  return (values['log-dir'] as string | undefined) ?? process.env['CAIRN_LOG_DIR'] ?? '/var/log/cairn';
}
