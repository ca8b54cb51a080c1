/** Python's types of the OpenAPI document's schemas: a TypedDict for each named object, an alias for every other name. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
}

/** Python's keywords that could be a name in the document. */
const KEYWORDS = new Set(
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
);

export function typesModule(schemas: Readonly<Record<string, Schema>>): string {
  const names = Object.keys(schemas).sort();
  return [
    '"""The shapes of requests and answers. Answers may gain keys: ignore those that you do not know."""',
    '',
    'from __future__ import annotations',
    '',
    'from typing import Any, Dict, List, Literal, TypedDict, Union',
    '',
    ...names.map((name) => definition(name, schemas[name] as Schema)),
    '__all__ = [',
    ...names.map((name) => `    "${name}",`),
    ']',
    '',
  ].join('\n');
}

/** The type as an annotation; `refer` writes the name of a component. */
export function typeOf(schema: Schema, refer: (name: string) => string): string {
  const inner = (part: Schema): string => typeOf(part, refer);
  if (schema.$ref !== undefined) return refer(schema.$ref.split('/').at(-1) as string);
  if (schema.anyOf) return union(schema.anyOf.map(inner));
  if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
  if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`;
  if (Array.isArray(schema.type)) return union(schema.type.map((type) => inner({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return schema.format === 'binary' ? 'bytes' : 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `List[${inner(schema.items ?? {})}]`;
    case 'object':
      return `Dict[str, ${typeof schema.additionalProperties === 'object' ? inner(schema.additionalProperties) : 'Any'}]`;
    default:
      return 'Any';
  }
}

function union(types: readonly string[]): string {
  return types.length === 1 ? (types[0] as string) : `Union[${types.join(', ')}]`;
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return JSON.stringify(value);
}

function definition(name: string, schema: Schema): string {
  if (schema.type !== 'object' || schema.properties === undefined)
    return `${comment(schema.description)}${name} = ${typeOf(schema, (other) => `"${other}"`)}\n`;
  const entries = Object.entries(schema.properties);
  const isRequired = ([key]: readonly [string, Schema]): boolean => schema.required?.includes(key) ?? false;
  const required = entries.filter(isRequired);
  const optional = entries.filter((entry) => !isRequired(entry));
  const doc = docstring(schema.description ?? name, '    ');
  if (entries.every(([key]) => isName(key))) {
    if (required.length === 0) return classOf(name, 'TypedDict, total=False', doc, optional);
    if (optional.length === 0) return classOf(name, 'TypedDict', doc, required);
    return (
      classOf(`_${name}Required`, 'TypedDict', '', required) +
      classOf(name, `_${name}Required, total=False`, doc, optional)
    );
  }
  // A class cannot have a key that is no name, such as `from` or `node.ttl`.
  return [
    byCall(`_${name}Required`, required, ''),
    byCall(`_${name}Optional`, optional, ', total=False'),
    `class ${name}(_${name}Required, _${name}Optional):`,
    doc,
    '',
  ].join('\n');
}

type Entries = readonly (readonly [key: string, schema: Schema])[];

function classOf(name: string, bases: string, doc: string, entries: Entries): string {
  const lines = entries.map(
    ([key, schema]) => `${comment(schema.description, '    ')}    ${key}: ${annotation(schema)}`,
  );
  return [`class ${name}(${bases}):`, ...(doc === '' ? [] : [doc, '']), ...lines, '', ''].join('\n');
}

function byCall(name: string, entries: Entries, total: string): string {
  const lines = entries.map(
    ([key, schema]) => `        ${JSON.stringify(key)}: ${typeOf(schema, (other) => `"${other}"`)},`,
  );
  return [`${name} = TypedDict(`, `    "${name}",`, '    {', ...lines, `    }${total},`, ')', ''].join('\n');
}

function annotation(schema: Schema): string {
  return typeOf(schema, (name) => name);
}

export function isName(text: string): boolean {
  return /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text);
}

/** `getJob` and `If-Match` as Python writes them; a keyword gets an underscore. */
export function snake(name: string): string {
  const text = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/\W+/g, '_')
    .toLowerCase();
  return KEYWORDS.has(text) ? `${text}_` : text;
}

export function docstring(text: string, indent: string): string {
  return `${indent}"""${text.replaceAll('\\', '\\\\').replaceAll('"""', "'''")}${/\n/.test(text) ? `\n${indent}` : text.endsWith('"') ? ' ' : ''}"""`;
}

function comment(text: string | undefined, indent = ''): string {
  return text === undefined ? '' : `${indent}# ${text.replaceAll('\n', ' ')}\n`;
}
