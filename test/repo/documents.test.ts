/** Pages, schema and code hold the same sets; the generated pages are what the code says. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { DETAIL_CODES } from '../../agent/base/detail-codes.ts';
import { ERROR_CODES } from '../../src/base/error-codes.ts';
import { ENVIRONMENT } from '../../src/commands/environment.ts';
import { openApi } from '../../src/gateway/api/openapi.ts';
import { ROUTES } from '../../src/gateway/api/routes.ts';
import type { Route } from '../../src/gateway/http/route.ts';
import { flattenConfig, newConfig } from '../../src/protocol/config/config.ts';
import { CONFIG_FIELDS } from '../../src/protocol/config/config-fields.ts';
import { pages } from '../../tools/make-docs.ts';
import { documents, type SourceFile, sourceFiles } from '../support/source-tree.ts';

/** Status and code of contract section 8, as its table has them. */
const CONTRACT_ERRORS = [
  '400/1001',
  '413/1002',
  '422/1003',
  '404/1004',
  '405/1005',
  '409/1006',
  '409/1007',
  '409/1011',
  '415/1008',
  '401/2001',
  '401/2002',
  '403/2003',
  '403/2004',
  '403/2005',
  '429/3001',
  '503/3002',
  '500/9001',
  '507/9002',
];

test('the generated pages are what the code says', () => {
  for (const [path, text] of pages()) assert.equal(readFileSync(path, 'utf8'), text, `${path}: run npm run docs`);
});

test('every error of the contract is in the table of error codes, and every one of the table is on the page and in the schema', () => {
  const errors = Object.values(ERROR_CODES);
  const pairs = errors.map(({ status, code }) => `${status}/${code}`);
  for (const pair of CONTRACT_ERRORS) assert.ok(pairs.includes(pair), pair);
  const page = readFileSync('docs/reference/errors.md', 'utf8');
  for (const { status, code, message } of errors)
    assert.ok(page.includes(`| ${status} | ${code} | ${message} |`), `${code} on the page`);
  const onPage = [...page.matchAll(/^\| (\d{3}) \| (\d{4}) \|/gm)].map(([, status, code]) => `${status}/${code}`);
  assert.deepEqual(onPage, pairs);
  const schema = openApi() as { components: { schemas: { Error: { properties: { errorCode: { enum: number[] } } } } } };
  const codes = schema.components.schemas.Error.properties.errorCode.enum;
  assert.deepEqual(
    codes,
    [...new Set(errors.map(({ code }) => code))].sort((a, b) => a - b),
  );
});

test('the table of environment variables and the sources are the same set', () => {
  const read = sourceFiles('src', 'cli', 'agent', 'fleet')
    .filter(({ path }) => path !== 'src/commands/environment.ts')
    .flatMap(({ text }) => text.match(/\b(?:CAIRN|UWS)_[A-Z_]*[A-Z]\b/g) ?? []);
  assert.deepEqual(ENVIRONMENT.map(({ name }) => name).sort(), [...new Set(read)].sort());
});

test('the table of configuration fields and the configuration are the same set', () => {
  const config = newConfig({
    addr: 'http://127.0.0.1:1',
    id: 'i',
    staticFolder: '/s',
    logFile: '/l.log',
    certFile: '/c',
    keyFile: '/k',
  });
  assert.deepEqual(
    [...flattenConfig(config).keys()],
    CONFIG_FIELDS.map(({ path }) => path),
  );
  for (const value of flattenConfig(config).values()) assert.notEqual(value, undefined);
});

test('the table of codes that details begin with and the codes of the agent are the same set', () => {
  const page = readFileSync('docs/guide/jobs.md', 'utf8');
  const table = page.slice(page.indexOf('### Why a save or a restore failed'), page.indexOf('## When the cloud'));
  const onPage = [...table.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, code]) => code as string);
  assert.deepEqual(onPage.sort(), [...DETAIL_CODES].sort());
});

test('every route is in the OpenAPI document, and nothing else', () => {
  const { paths } = openApi() as { paths: Record<string, Record<string, { operationId: string }>> };
  const documented = Object.values(paths).flatMap((operations) =>
    Object.entries(operations)
      .filter(([method]) => !method.startsWith('x-'))
      .map(([, { operationId }]) => operationId),
  );
  assert.deepEqual(documented.sort(), (ROUTES as readonly Route[]).map(({ name }) => name).sort());
});

/** The anchor that a heading gets, as the common renderers make it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(' ', '-');
}

function deadLinks({ path, text }: SourceFile): string[] {
  const links = [...text.matchAll(/\]\((?!https?:|mailto:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
  return links.flatMap(([, target = '', anchor]) => {
    const file = target === '' ? path : join(dirname(path), target);
    if (target !== '' && !existsSync(file)) return [`${path} → ${target}`];
    if (anchor === undefined) return [];
    const there = file === path ? text : readFileSync(file, 'utf8');
    const headings = [...there.matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading as string));
    return headings.includes(anchor) ? [] : [`${path} → ${target}#${anchor}`];
  });
}

test('links between documents lead somewhere, and so do their anchors', () => {
  assert.deepEqual(documents().flatMap(deadLinks), []);
  const planted = { path: 'docs/x.md', text: '# A `b` c\n[1](gone.md) [2](#a-b-c) [3](#gone) [4](README.md#gone)' };
  assert.deepEqual(deadLinks(planted), ['docs/x.md → gone.md', 'docs/x.md → #gone', 'docs/x.md → README.md#gone']);
});

test('every decision says how it is confirmed', () => {
  for (const name of readdirSync('docs/decisions').filter((file) => /^\d{4}-/.test(file))) {
    const text = readFileSync(join('docs/decisions', name), 'utf8');
    for (const heading of ['## Context', '## Decision', '## Consequences', '## Confirmation'])
      assert.ok(text.includes(heading), `${name} lacks ${heading}`);
  }
});
