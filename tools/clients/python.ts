/** The generated modules of the Python client in `clients/python`: types, errors, and a method for each operation. */
import { ERROR_CODES } from '../../src/base/error-codes.ts';
import { openApi } from '../../src/gateway/api/openapi.ts';
import { docstring, type Schema, snake, typeOf, typesModule } from './python-types.ts';

const FOLDER = 'clients/python/cairn';
const NOTE = '# Made by `npm run docs` from the OpenAPI document; a test fails where they differ.\n';
/** Second entries of a code: the class is named after the first meaning. */
const SECOND_MEANINGS = new Set(['tooManySeries', 'outcomeUnknown']);

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Content & { readonly required?: boolean };
  readonly responses: Readonly<Record<string, Content>>;
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Path → text. */
export function pythonClient(
  document: OpenApiDocument = openApi() as unknown as OpenApiDocument,
): ReadonlyMap<string, string> {
  return new Map([
    [`${FOLDER}/types.py`, NOTE + typesModule(document.components.schemas)],
    [`${FOLDER}/errors.py`, NOTE + errorsModule()],
    [`${FOLDER}/_operations.py`, NOTE + operationsModule(document)],
  ]);
}

function errorsModule(): string {
  const entries = Object.entries(ERROR_CODES).filter(([name]) => !SECOND_MEANINGS.has(name));
  const className = (name: string): string => `${name.charAt(0).toUpperCase()}${name.slice(1)}Error`;
  return [
    '"""One exception for each error code of the API."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Dict, Type',
    '',
    'from ._errors import ApiError, CairnError',
    '',
    ...entries.map(([name, { code, message, when }]) =>
      [`class ${className(name)}(ApiError):`, docstring(`${code} ${message}. ${when}`, '    '), '', ''].join('\n'),
    ),
    'BY_CODE: Dict[int, Type[ApiError]] = {',
    ...entries.map(([name, { code }]) => `    ${code}: ${className(name)},`),
    '}',
    '',
    '__all__ = [',
    ...['ApiError', 'CairnError', ...entries.map(([name]) => className(name)), 'BY_CODE'].map(
      (name) => `    "${name}",`,
    ),
    ']',
    '',
  ].join('\n');
}

function operationsModule({ paths, components }: OpenApiDocument): string {
  const methods = Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      // `x-websocket` is no operation.
      .filter(([, operation]) => operation.operationId !== undefined)
      .flatMap(([method, operation]) => methodsOf(method.toUpperCase(), path, operation, components.schemas)),
  );
  return [
    '"""A method for each operation of the API."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Iterator, List, Literal, Optional, Union, cast',
    '',
    'from . import types as t',
    'from ._transport import Body, Transport, path_of',
    '',
    '',
    'class Operations(Transport):',
    '    """The operations of the API; :class:`cairn.Client` adds pages, events and uploads."""',
    '',
    ...methods,
  ].join('\n');
}

interface Argument {
  readonly name: string;
  readonly type: string;
  readonly parameter: Parameter;
}

function methodsOf(
  method: string,
  path: string,
  operation: Operation,
  schemas: Readonly<Record<string, Schema>>,
): string[] {
  const { operationId, parameters = [] } = operation;
  const answer = operation.responses['200']?.content ?? {};
  const json = answer['application/json']?.schema;
  const args = parameters
    // The answer's form is the method's: JSON becomes Python's own values. A tag needs the answer's head: `request` gives it.
    .filter(({ name }) => name !== 'If-None-Match' && !(json && name === 'format') && !isTwice(name, parameters))
    .map((parameter) => ({ name: snake(parameter.name), type: annotated(parameter.schema), parameter }));
  const single = one({ method, path, operation, args, json, name: snake(operationId) });
  const items = schemas[json?.$ref?.split('/').at(-1) ?? '']?.items;
  if (!items || !args.some(({ name }) => name === 'cursor')) return [single];
  return [single, pages({ path, operation, args, item: annotated(items), name: snake(operationId) })];
}

/** `Last-Event-ID` and `lastEventId` are the same; the header is left out. */
function isTwice(name: string, parameters: readonly Parameter[]): boolean {
  return name.includes('-') && parameters.some((other) => other.name !== name && plain(other.name) === plain(name));
}

function plain(name: string): string {
  return name.replaceAll('-', '').toLowerCase();
}

type Pages = Pick<Method, 'name' | 'path' | 'operation' | 'args'> & { readonly item: string };

interface Method {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly operation: Operation;
  readonly args: readonly Argument[];
  readonly json: Schema | undefined;
}

function one({ name, method, path, operation, args, json }: Method): string {
  const content = operation.requestBody?.content ?? {};
  const bodySchema = content['application/json']?.schema ?? content['application/octet-stream']?.schema;
  const isOptional = bodySchema && operation.requestBody?.required !== true;
  const body =
    bodySchema && (isOptional ? `body: Optional[${annotated(bodySchema)}] = None` : `body: ${annotated(bodySchema)}`);
  const returned = json ? annotated(json) : 'Body';
  const named = args.filter(({ parameter }) => parameter.in !== 'path');
  const sent = [
    JSON.stringify(method),
    pathCall(path, args),
    ...dictionary('query', named, 'query'),
    ...dictionary('headers', named, 'header'),
    ...(body ? ['body=body'] : []),
  ].map((part) => `            ${part},`);
  const call = json ? 'self.request' : 'self.open';
  return [
    ...head(name, args, body ? [body] : [], returned),
    docstring(documentation(operation.summary, json ? [] : [STREAM], named), '        '),
    ...(json
      ? [
          `        answer = ${call}(`,
          ...sent,
          '        )',
          `        return cast(${JSON.stringify(returned)}, answer.data)`,
        ]
      : [`        return ${call}(`, ...sent, '        )']),
    '',
  ].join('\n');
}

const STREAM = 'The answer is read as it comes: use it in a `with` statement, and read, iterate or call `text()`.';

/** The same list without an end: each page's `Link` names the next. */
function pages({ name, path, operation, args, item }: Pages): string {
  const shown = args.filter(({ name: arg }) => arg !== 'cursor' && arg !== 'limit');
  const named = shown.filter(({ parameter }) => parameter.in === 'query');
  const lines = [...dictionary('query', named, 'query', ['"limit": page_size'])].map((part) => `            ${part},`);
  return [
    ...head(name.replace(/^list_/, 'iterate_'), shown, [], `Iterator[${item}]`, ['page_size: int = 1000']),
    docstring(
      documentation(
        `${operation.summary}, one by one: pages of \`page_size\` (at most 10,000) are read as they are needed`,
        [],
        named,
      ),
      '        ',
    ),
    '        return self.items(',
    `            ${pathCall(path, args)},`,
    ...lines,
    '        )',
    '',
  ].join('\n');
}

function head(
  name: string,
  args: readonly Argument[],
  body: readonly string[],
  returned: string,
  more: readonly string[] = [],
): string[] {
  const positional = args.filter(({ parameter }) => parameter.in === 'path');
  const named = args.filter(({ parameter }) => parameter.in !== 'path');
  const keywords = [
    ...named.filter(({ parameter }) => parameter.required).map(({ name: arg, type }) => `${arg}: ${type}`),
    ...named
      .filter(({ parameter }) => !parameter.required)
      .map(({ name: arg, type }) => `${arg}: Optional[${type}] = None`),
    ...more,
  ];
  const all = [
    'self',
    ...positional.map(({ name: arg, type }) => `${arg}: ${type}`),
    ...body,
    ...(keywords.length > 0 ? ['*', ...keywords] : []),
  ];
  const line = `    def ${name}(${all.join(', ')}) -> ${returned}:`;
  if (line.length <= 100) return [line];
  return [`    def ${name}(`, ...all.map((part) => `        ${part},`), `    ) -> ${returned}:`];
}

function documentation(summary: string, more: readonly string[], named: readonly Argument[]): string {
  const paragraphs = [`${summary}.`, ...more];
  const lines = named.map(({ name, parameter }) => `        :param ${name}: ${parameter.description ?? ''}`);
  const text = paragraphs.join('\n\n        ');
  return lines.length === 0 && more.length === 0
    ? text
    : [text, ...(lines.length ? ['', ...lines] : []), ''].join('\n').replace(/\n$/, '');
}

function pathCall(path: string, args: readonly Argument[]): string {
  const names = args.filter(({ parameter }) => parameter.in === 'path');
  if (names.length === 0) return JSON.stringify(path);
  const values = names.map(({ name, parameter }) => `${parameter.name}=${name}`);
  return `path_of(${JSON.stringify(path)}, ${values.join(', ')})`;
}

function dictionary(key: string, named: readonly Argument[], place: string, first: readonly string[] = []): string[] {
  const entries = named
    .filter(({ parameter }) => parameter.in === place)
    .map(({ name, parameter }) => `${JSON.stringify(parameter.name)}: ${name}`);
  const all = [...first, ...entries];
  return all.length === 0 ? [] : [`${key}={${all.join(', ')}}`];
}

function annotated(schema: Schema): string {
  return typeOf(schema, (name) => `t.${name}`);
}
