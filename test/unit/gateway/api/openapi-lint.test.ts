/** The document passes redocly's recommended rules without a warning. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openApiText } from '../../../../src/gateway/api/openapi.ts';

async function problemsOf(source: string): Promise<string[]> {
  const config = await createConfig({
    extends: ['recommended'],
    // The frames of the heartbeat WebSocket are used by x-websocket, which the linter does not read.
    rules: { 'no-unused-components': 'off' },
  });
  const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
  return problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`);
}

test('redocly finds nothing in the document', async () => {
  const text = openApiText().bytes.toString();
  assert.deepEqual(await problemsOf(text), []);
  const planted = text.replace('"operationId":"listJobs"', '"operationId":"listNodes"');
  assert.notEqual((await problemsOf(planted)).length, 0, 'an id that is there twice');
});
