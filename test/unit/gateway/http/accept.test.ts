import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedType, acceptsGzip } from '../../../../src/gateway/http/accept.ts';

test('gzip is sent to a client that takes it and prefers nothing else', () => {
  for (const header of ['gzip', 'GZIP', '*', 'br, gzip;q=0.5', 'gzip, deflate, br', 'identity, gzip', 'gzip;q=0.001'])
    assert.ok(acceptsGzip(header), header);
  for (const header of [
    '',
    'gzip;q=0, *',
    'gzip;q=0',
    '*;q=0',
    'br',
    'identity',
    'identity;q=1, gzip;q=0.5',
    'gzip; q=0.000, *',
  ])
    assert.ok(!acceptsGzip(header), header);
});

test('the type that is liked best is found by weight, then by how exactly it is named, then by its place', () => {
  const types = ['application/json', 'text/csv'];
  for (const [header, type] of [
    ['', undefined],
    ['image/png', undefined],
    ['text/csv', 'text/csv'],
    ['text/csv;q=0.5, application/json', 'application/json'],
    ['text/csv, application/json', 'text/csv'],
    ['*/*', 'application/json'],
    ['application/json;q=0, */*', 'text/csv'],
    ['text/*;q=0.9, application/json;q=0.8', 'text/csv'],
  ] as const)
    assert.equal(acceptedType(header, types), type, header);
});
