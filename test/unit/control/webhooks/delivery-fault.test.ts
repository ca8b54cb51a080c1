/** Why a delivery failed, as an operator reads it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOfDelivery } from '../../../../src/control/webhooks/delivery-fault.ts';

const coded = (code: string): Error => Object.assign(new Error(`low-level ${code}`), { code });

test('codes of the system and of TLS become plain words, with the name or the address that they are about', () => {
  const of = (code: string, url = 'https://hooks.example.com/x'): string => faultOfDelivery(coded(code), url);
  assert.equal(of('ENOTFOUND'), 'the name hooks.example.com does not resolve');
  assert.equal(of('EAI_AGAIN'), 'the name hooks.example.com does not resolve');
  assert.equal(of('ECONNREFUSED'), 'nothing listens at hooks.example.com:443');
  assert.equal(of('ECONNREFUSED', 'http://[::1]/'), 'nothing listens at [::1]:80');
  assert.equal(of('ECONNREFUSED', 'http://10.0.0.7:8080/'), 'nothing listens at 10.0.0.7:8080');
  assert.equal(of('ECONNRESET'), 'hooks.example.com:443 closed the connection without an answer');
  assert.equal(of('ETIMEDOUT'), 'no answer from hooks.example.com:443');
  assert.equal(of('EHOSTUNREACH'), 'no network leads from the server to hooks.example.com:443');
  assert.equal(of('CERT_HAS_EXPIRED'), 'the certificate of hooks.example.com has expired');
  assert.equal(of('DEPTH_ZERO_SELF_SIGNED_CERT'), 'the certificate of hooks.example.com is self-signed');
  assert.equal(of('ERR_TLS_CERT_ALTNAME_INVALID'), 'the certificate at hooks.example.com is for another name');
  assert.equal(of('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'the server does not trust the certificate of hooks.example.com');
  assert.equal(of('EPROTO'), 'TLS with hooks.example.com:443 failed: it may speak http only');
});

test('what has no code, or one that is not known, keeps its own words', () => {
  const url = 'https://hooks.example.com/x';
  assert.equal(faultOfDelivery(new Error('its answer broke off'), url), 'its answer broke off');
  assert.equal(faultOfDelivery(coded('constructor'), url), 'low-level constructor');
  assert.equal(faultOfDelivery('odd', url), 'odd');
});

test('of several addresses of a name the first tells why', () => {
  const all = new AggregateError([coded('ECONNREFUSED'), coded('ENETUNREACH')]);
  assert.equal(faultOfDelivery(all, 'http://hooks.example.com/'), 'nothing listens at hooks.example.com:80');
});
