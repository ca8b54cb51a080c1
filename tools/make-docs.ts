/** Writes the pages that are made from code; `--check` fails where a page is not what the code says. */
import { readFileSync, writeFileSync } from 'node:fs';
import { referencePage } from '../cli/pages/reference-page.ts';
import { GROUPS } from '../cli/specs/commands.ts';
import { ERROR_CODES } from '../src/base/error-codes.ts';
import { ENVIRONMENT } from '../src/commands/environment.ts';
import { openApi } from '../src/gateway/api/openapi.ts';
import { ROUTES } from '../src/gateway/api/routes.ts';
import type { Route } from '../src/gateway/http/route.ts';
import { ACCESS, CALLERS, type Verdict } from '../src/gateway/identity/access.ts';
import { CONFIG_FIELDS, type FieldKind } from '../src/protocol/config/config-fields.ts';
import { pythonClient } from './clients/python.ts';
import { givenLine } from './command-line.ts';
import { type ApiDocument, typesOf } from './openapi-types.ts';

const NOTE = '<!-- Made by `npm run docs` from the code; a test fails where they differ. -->';

export function pages(): ReadonlyMap<string, string> {
  return new Map([
    ...Object.entries({
      errors: errorsPage(),
      configuration: configurationPage(),
      routes: routesPage(),
      environment: environmentPage(),
      commands: referencePage(NOTE, GROUPS),
    }).map(([name, text]) => [`docs/reference/${name}.md`, withPlaceholders(text)] as const),
    ['clients/typescript/src/schema.ts', typesOf(openApi() as ApiDocument)],
    ...pythonClient(),
  ]);
}

function errorsPage(): string {
  const rows = Object.values(ERROR_CODES).map(
    ({ status, code, message, retry, when }) => `| ${status} | ${code} | ${message} | ${when} | ${RETRY[retry]} |`,
  );
  return `${NOTE}

# Errors

An API call that fails is answered with JSON: \`{"statusCode", "errorCode", "message", "fields"?}\`. \`statusCode\` is the
HTTP status. \`message\` begins with the text in the table; a colon and a detail may follow. \`fields\` says which values
are wrong, and why.

| HTTP | errorCode | message | when | try again |
|---|---|---|---|---|
${rows.join('\n')}
`;
}

const RETRY = {
  never: 'no',
  'after-change': 'after changing the request',
  later: 'later, after `Retry-After`',
} as const;

function configurationPage(): string {
  const rows = CONFIG_FIELDS.map(({ path, kind, default: value, meaning, fixed }) => {
    const shown = typeof value === 'string' ? (value === '' ? '(empty)' : value) : JSON.stringify(value);
    return `| \`${path}\` | ${kindText(kind)} | ${escaped(shown)} | ${meaning}${fixed ? ` Cannot be set with configKV: ${fixed}.` : ''} |`;
  });
  return `${NOTE}

# Configuration

The configuration is stored in \`<data-dir>/config.json\`. Read it with \`GET /api/v1/config\`. Change it with
\`PUT /api/v1/configKV\` and \`{"kvMap": {"<field>": "<value>"}}\`: every value is a string, and a call with several fields
changes all of them or none. A change is on disk before it is answered, and takes effect without a restart.

Durations are written as in Go (\`30s\`, \`5m\`, \`1h30m\`), lists with commas, maps as \`key:value,key:value\`.

| field | type and bounds | default | meaning |
|---|---|---|---|
${rows.join('\n')}

\`node.ttl\` must be at least twice \`node.heartbeat\`. Some values are accepted with a warning, in the
log and with the answer: a checkpoint interval below 2m, a limit of requests or connections below 20, and an address
beyond this machine while no identity provider is on.
`;
}

function kindText(kind: FieldKind): string {
  switch (kind.type) {
    case 'integer':
      return `integer, ${kind.min} to ${kind.max} ${kind.unit}`;
    case 'enum':
      return kind.values.join(', ');
    case 'string':
      return kind.rule ? `text: ${kind.rule}` : 'text';
    case 'list':
      return kind.nullable ? 'list or null' : 'list';
    case 'address':
      return 'scheme://host:port';
    default:
      return kind.type;
  }
}

function environmentPage(): string {
  const rows = ENVIRONMENT.map(
    ({ name, readBy, meaning, default: value }) => `| \`${name}\` | ${readBy} | ${meaning} | ${value} |`,
  );
  return `${NOTE}

# Environment variables

A flag with the same meaning wins; \`cairn COMMAND --help\` lists the flags. A variable that is empty counts as not set.

\`cairn start\` has its own defaults for folders and address: \`.cairn/data\`, \`.cairn/log\` and
\`http://127.0.0.1:8080\`.

| variable | read by | meaning | default |
|---|---|---|---|
${rows.join('\n')}
`;
}

function routesPage(): string {
  const rows = (ROUTES as readonly Route[]).map(
    ({ method, path, summary, access, deprecated }) =>
      `| ${method} | \`${path}\` | ${ACCESS[access].who} | ${summary}${deprecated ? ' (deprecated)' : ''} |`,
  );
  const parameters = (ROUTES as readonly Route[]).flatMap(({ method, path, query = {} }) =>
    Object.entries(query).map(
      ([name, { description, isRequired }]) =>
        `| ${method} \`${path}\` | \`${name}\` | ${isRequired ? 'Required. ' : ''}${escaped(description)} |`,
    ),
  );
  const callers = (ROUTES as readonly Route[]).map(
    ({ method, path, access }) =>
      `| ${method} \`${path}\` | ${CALLERS.map((caller) => verdictText(ACCESS[access][caller])).join(' | ')} |`,
  );
  return `${NOTE}

# Routes

The table says who may call a route while the identity provider is on. While it is off, anyone may call any route.
\`GET /api/v1/openapi.json\` has the full description, with request and response bodies.

| method | path | who | what |
|---|---|---|---|
${rows.join('\n')}

## What each caller is answered

*yes*: the call is allowed. *own*: every node that the call names must be the node of the token; otherwise 403 / 2004.
*unbound*: allowed for a caller who is not bound to queues; otherwise 403 / 2003. An outsider is signed in, but none of
the groups has a role. A caller who is bound to queues gets *yes* where the answer hides everything else.
The table is made from \`src/gateway/identity/access.ts\`; a test calls every route as every caller.

| route | nobody | outsider | viewer | operator | administrator | node token | join token |
|---|---|---|---|---|---|---|---|
${callers.join('\n')}

## Parameters

Parameters are optional unless stated otherwise. Lists reject unknown parameters with 422 / 1003; \`fields\` names
each fault.

| route | parameter | meaning |
|---|---|---|
${parameters.join('\n')}
`;
}

function verdictText(verdict: Verdict): string {
  if (verdict === 'yes' || verdict === 'own' || verdict === 'unbound') return verdict;
  const { status, code } = ERROR_CODES[verdict];
  return `${status} / ${code}`;
}

function escaped(text: string): string {
  return text.replaceAll('|', '\\|');
}

/** Markdown takes `<name>` in a sentence for HTML, and readers do not see it; in code it is what it is. */
function withPlaceholders(page: string): string {
  return page
    .split(/(^```[\s\S]*?^```$|`[^`]+`|<!--[\s\S]*?-->)/m)
    .map((part, i) => (i % 2 === 1 ? part : part.replaceAll('<', '&lt;')))
    .join('');
}

if (process.argv[1]?.endsWith('make-docs.js')) {
  const usage = `npm run docs -- [--check]

Writes the pages that are made from code.

  --check   writes nothing, and ends with 1 where a page is not what the code says
`;
  const { check } = givenLine({ usage, options: { check: { type: 'boolean' } } }).values;
  for (const [path, text] of pages()) {
    const now = readText(path);
    if (now === text) continue;
    if (check) {
      process.stderr.write(`${path} is not what the code says: run npm run docs\n`);
      process.exitCode = 1;
    } else {
      writeFileSync(path, text);
      process.stdout.write(`wrote ${path}\n`);
    }
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
