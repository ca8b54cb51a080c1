/** The archive that the browser makes of the support bundle, and what is left out of it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { list } from 'tar';
import { bundleLogs, bundleName, withoutSecrets } from '../../../../src/protocol/explain/support-bundle.ts';
import { tarOf } from '../../../../web/src/pages/health/tar.ts';

test('the archive holds each file whole, also an empty one and one that fills its blocks', async () => {
  const files = ['', 'a', 'ä'.repeat(256), 'x'.repeat(1_500)].map((text, i) => ({ path: `bundle/${i}.txt`, text }));
  const found = new Map<string, string>();
  const parser = list({
    onReadEntry: (entry) => {
      const chunks: Buffer[] = [];
      entry.on('data', (chunk: Buffer) => chunks.push(chunk));
      entry.on('end', () => found.set(`${entry.path} ${entry.mode?.toString(8)}`, Buffer.concat(chunks).toString()));
    },
  });
  const ended = new Promise((resolve) => parser.on('end', resolve));
  const archive = Buffer.concat(tarOf(files, 1_750_000_000));
  // Four heads, contents of 0, 1, 1 and 3 blocks, and two blocks that end it: no reader minds more, but none is told of them.
  assert.equal(archive.byteLength, 512 * (4 + 5 + 2));
  parser.end(archive);
  await ended;
  assert.deepEqual(
    [...found],
    files.map(({ path, text }) => [`${path} 600`, text]),
  );
});

test('secrets are left out by their names, and nothing else is', () => {
  const config = { security: { idp: { clientSecret: 'x', clientID: 'c', token: '' } }, node: { ttl: '5m0s' } };
  const expected = {
    security: { idp: { clientSecret: '(left out)', clientID: 'c', token: '' } },
    node: { ttl: '5m0s' },
  };
  assert.deepEqual(JSON.parse(withoutSecrets(JSON.stringify(config))), expected);
});

test('the logs are those that the configuration names', () => {
  assert.deepEqual(
    bundleLogs('/var/log/cairn/my server.log').map(({ path }) => path),
    ['/my%20server.log?tail=5000', '/my%20server-access.log?tail=5000'],
  );
  assert.equal(bundleName(Date.UTC(2026, 0, 31, 12)), 'cairn-support-2026-01-31T12-00-00');
});
