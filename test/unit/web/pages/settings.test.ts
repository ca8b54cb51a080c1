/** Settings in words: values as their fields have them, what is missing, what a mode of checkpoints means. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMissing } from '../../../../web/src/pages/settings/access/missing-fields.ts';
import { faultText, modeWarning, settingValue } from '../../../../web/src/pages/settings/form/value-text.ts';

test('a value in a record is the one of its field: On or Off, and with its unit', () => {
  assert.deepEqual(
    [true, 'true', false].map((value) => settingValue('ckpt.ckptOnSigTerm', value)),
    ['On', 'On', 'Off'],
  );
  assert.deepEqual(
    [
      settingValue('log.maxSizeMB', 20),
      settingValue('log.maxBackups', 5),
      settingValue('log.maxBackups', 1),
      settingValue('job.diskThroughputMB', 125),
      settingValue('security.limits.requestsPerToken', 1),
    ],
    ['20 MB', '5 files', '1 file', '125 MB/s', '1 request a second'].map((text) => text.replace(' ', '\u00a0')),
  );
  assert.deepEqual(
    [settingValue('node.ttl', '5m0s'), settingValue('ckpt.ckptMode', 'unknown'), settingValue('log.level', 'info')],
    ['5m', 'not set', 'info'],
  );
  assert.equal(settingValue('log.maxSizeMB', null), '–');
  assert.equal(settingValue('security.limits.connections', 0), 'no limit');
  assert.match(settingValue('log.maxBackups', 0), /^0\sfiles$/);
});

test('that no job is saved by itself is said of each mode in which that is so', () => {
  assert.match(modeWarning('ckpt.ckptMode', 'unknown') ?? '', /^Until it is set, no job is saved/);
  assert.match(modeWarning('ckpt.ckptMode', 'none') ?? '', /^No job is saved/);
  assert.equal(modeWarning('ckpt.ckptMode', 'iterative'), undefined);
  assert.equal(modeWarning('log.level', 'none'), undefined);
});

test('of a form, what was left empty is missing, and what is wrong is told as such', () => {
  const faults = { issuer: 'is not an https address', clientID: 'is not a client id' };
  const example = (name: string): string | undefined => (name === 'issuer' ? 'https://login.example.com' : undefined);
  assert.deepEqual(withMissing(faults, { issuer: '', clientID: '' }, example), {
    issuer: 'is missing, such as https://login.example.com',
    clientID: 'is missing',
  });
  assert.deepEqual(withMissing(faults, { issuer: 'login', clientID: 'ä' }, example), faults);
});

test('a fault is a sentence about its field: no path of its own, durations as fields have them', () => {
  const cases = [
    ['node.heartbeat', 'must be at most half of node.ttl (1m0s)', 'Field must be at most half of node.ttl (1m)'],
    ['node.ttl', 'is not between 10s and 1h0m0s', 'Field is not between 10s and 1h'],
    ['security.clientCAFile', 'security.clientCAFile needs https: none over http', 'Field needs https: none over http'],
    ['addr', 'security.clientCAFile needs https', 'Field: security.clientCAFile needs https'],
    // What is no setting stays as it is.
    ['kvMap', 'node.other is not known', 'Field node.other is not known'],
  ] as const;
  for (const [path, reason, told] of cases) assert.equal(faultText('Field', path, reason), told);
});
