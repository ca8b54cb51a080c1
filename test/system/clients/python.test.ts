/** The Python client against a real server: its own example, a job's life (contract section 14). */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { PYTHON, PYTHON_CLIENT, PYTHON_ENV, withPython } from '../../support/clients/python.ts';
import type { ServerProcess } from '../../support/server-process.ts';
import { withServer } from '../../support/with-server.ts';

let server: ServerProcess;
withServer({}, (served) => {
  ({ server } = served);
});

test('a job’s life by the Python client: events, pages, uploads and errors', withPython(), async () => {
  const { stdout } = await promisify(execFile)(PYTHON, [`${PYTHON_CLIENT}/examples/job_life.py`, server.address], {
    env: { ...process.env, ...PYTHON_ENV },
    timeout: 120_000,
  });
  const ids = ['py-job', ...Array.from({ length: 11 }, (_, n) => `py-${n}`)];
  assert.deepEqual(JSON.parse(stdout), {
    status: 'Succeeded',
    phases: { starting: 11, succeeded: 1 },
    paged: ids.sort(),
    followed: ['Job-Creating', 'Job-Running', 'Job-Succeeded'],
    sizes: [8, 14],
    lines: ['one\n', 'two\n', 'three\n'],
    raised: [
      ['NotFoundError', 404, {}],
      ['NotFoundError', 404, {}],
      ['OffsetConflictError', 409, { size: 14 }],
      ['InvalidError', 422, { limit: 'is not a whole number from 1 to 10000' }],
    ],
  });
});
