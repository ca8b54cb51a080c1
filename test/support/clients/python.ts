/** The machine's Python, for tests of the Python client. */
import { spawnSync } from 'node:child_process';

export const PYTHON = 'python3';
export const PYTHON_CLIENT = 'clients/python';
export const PYTHON_ENV = { PYTHONPATH: PYTHON_CLIENT, PYTHONDONTWRITEBYTECODE: '1' };

/** The options of a test that needs Python. Throws on a machine that decides for others: it must not take a skip for a pass. */
export function withPython(): { readonly skip: false | string } {
  const isThere = spawnSync(PYTHON, ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']).status === 0;
  if (isThere) return { skip: false };
  if (process.env['CI']) throw new Error('there is no python3 (3.9 or later) for the test of the Python client');
  return { skip: 'not run: there is no python3 (3.9 or later)' };
}
