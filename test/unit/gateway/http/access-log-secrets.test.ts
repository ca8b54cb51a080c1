import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutSecrets } from '../../../../src/gateway/http/access-log.ts';

test('secrets that somebody put into an address are not written down', () => {
  const cases: Readonly<Record<string, string>> = {
    'token=abc': 'token=***',
    'a=1&access_token=abc&b=2': 'a=1&access_token=***&b=2',
    'X-Amz-Signature=x&clientSecret=y': 'X-Amz-Signature=***&clientSecret=***',
    'PASSWORD=': 'PASSWORD=***',
    'start=2026-01-01&q=token': 'start=2026-01-01&q=token',
    nothing: 'nothing',
  };
  for (const [query, expected] of Object.entries(cases)) assert.equal(withoutSecrets(query), expected);
});
