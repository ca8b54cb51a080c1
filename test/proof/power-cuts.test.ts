/** The machine of `npm run proof` that cuts the power, small: each planted fault of its list must break it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasCompiler } from './fault-shim.ts';
import { killInManners } from './kills.ts';
import { quietly } from './machine.ts';

test('what was acknowledged survives power cuts', async () => {
  const counts = await killInManners(quietly(4), ['power, all lost', 'power']);
  if (hasCompiler()) assert.ok((counts['lost writes'] ?? 0) > 0, 'the cuts lost something');
});
