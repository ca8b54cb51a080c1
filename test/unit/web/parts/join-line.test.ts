import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { joinLine } from '../../../../web/src/parts/join-line.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nAAEC\n+/==\n-----END CERTIFICATE-----';

test('the line carries the certificate that the script carries, so that the machine trusts this server alone', () => {
  const script = `SERVER='x'\nCERTIFICATE='${PEM}'\n`;
  const line = joinLine({ origin: 'https://cairn.example.com', script, joinToken: 'abc.def' });
  assert.match(
    line,
    /https:\/\/cairn\.example\.com\/api\/v1\/scripts\/install-agent \| sudo sh -s -- --join-token abc\.def$/,
  );
  const shell = line.replace(/ && curl .*$/, ' && cat "$c"; rm -f "$c"');
  assert.equal(spawnSync('sh', ['-c', shell], { encoding: 'utf8' }).stdout, `${PEM}\n`);
  assert.ok(!line.includes(' -k'));
});

test('without a certificate of its own, the server is trusted as the system says', () => {
  const line = joinLine({ origin: 'https://cairn.example.com', script: "CERTIFICATE=''\n", joinToken: 't' });
  assert.equal(line, 'curl -fsS https://cairn.example.com/api/v1/scripts/install-agent | sudo sh -s -- --join-token t');
  const open = joinLine({ origin: 'http://cairn.example.com', script: '', joinToken: undefined });
  assert.equal(open, 'curl -fsS http://cairn.example.com/api/v1/scripts/install-agent | sudo sh');
});
