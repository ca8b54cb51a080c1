/** What `cairn serve` refuses before it starts anything. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from '../../../src/base/usage-error.ts';
import { serveCommand } from '../../../src/commands/serve.ts';

test('CAIRN_WARM_UP is yes or no, and anything else is refused in a sentence', async (t) => {
  const before = process.env['CAIRN_WARM_UP'];
  t.after(() => {
    if (before === undefined) delete process.env['CAIRN_WARM_UP'];
    else process.env['CAIRN_WARM_UP'] = before;
  });
  process.env['CAIRN_WARM_UP'] = 'maybe';
  // So that nothing starts if the variable is taken.
  const values = { shards: 'none' };
  await assert.rejects(
    serveCommand({ values, args: [] } as never),
    (error) => error instanceof UsageError && /cannot use CAIRN_WARM_UP=maybe: want yes or no/.test(error.message),
  );
});
