/**
 * Writes an OpenAPI 3.1 document as TypeScript, in the form that openapi-fetch reads (that of openapi-typescript, which needs
 * the JavaScript API of TypeScript 5). It knows the keywords that our schemas use and throws at any other.
 */
interface Schema {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly description?: string;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>;
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const METHODS = ['get', 'put', 'post', 'delete'];
const PLACES = ['query', 'header', 'path', 'cookie'];
/** They say which values are allowed, not of which type they are. */
const IGNORED = new Set(
  'description examples minimum maximum exclusiveMinimum minItems maxItems minLength maxLength pattern format propertyNames'.split(
    ' ',
  ),
);
const FAILURE = '#/components/schemas/Error';
const READ = new Set('$ref type anyOf oneOf enum const items properties required additionalProperties'.split(' '));

/** The text of a module with the types `paths`, `components` and `operations`. */
export function typesOf({ paths, components }: ApiDocument): string {
  const operations: Operation[] = [];
  const pathLines = Object.entries(paths).map(([path, item]) => {
    const methods = METHODS.filter((method) => item[method] !== undefined).map((method) => {
      const operation = item[method] as Operation;
      operations.push(operation);
      return `${comment(operation.summary, '    ', operation.deprecated)}    ${method}: operations['${operation.operationId}'];\n`;
    });
    return `  ${key(path)}: {\n${methods.join('')}  };\n`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema.description, '    ')}    ${key(name)}: ${typeOf(schema, '    ')};\n`,
  );
  return `/** Made by \`npm run docs\` from the OpenAPI document of the server; a test fails where they differ. */

export interface paths {
${pathLines.join('')}}

export interface components {
  schemas: {
${schemas.join('')}  };
}

interface Failure {
  headers: { [name: string]: unknown };
  content: {
    'application/json': components['schemas']['Error'];
  };
}

export interface operations {
${operations.map(operationType).join('')}}
`;
}

function operationType({ operationId, parameters = [], requestBody, responses }: Operation): string {
  const places = PLACES.map((place) => {
    const here = parameters.filter((parameter) => parameter.in === place);
    if (here.length === 0) return `      ${place}?: never;\n`;
    const rows = here.map(
      ({ name, required, description, schema }) =>
        `${comment(description, '        ')}        ${key(name)}${required ? '' : '?'}: ${typeOf(schema, '        ')};\n`,
    );
    return `      ${place}${here.some(({ required }) => required) ? '' : '?'}: {\n${rows.join('')}      };\n`;
  });
  const answers = Object.entries(responses).map(([status, { description, content }]) => {
    if (content?.['application/json']?.schema.$ref === FAILURE) return `      ${status}: Failure;\n`;
    const type = `{\n        headers: { [name: string]: unknown };\n${contentType(content, '        ')}      }`;
    return `${comment(description, '      ')}      ${status}: ${type};\n`;
  });
  const body = requestBody
    ? `    requestBody${requestBody.required ? '' : '?'}: {\n${contentType(requestBody.content, '      ')}    };\n`
    : '    requestBody?: never;\n';
  return `  ${key(operationId)}: {\n    parameters: {\n${places.join('')}    };\n${body}    responses: {\n${answers.join('')}    };\n  };\n`;
}

function contentType(content: Content | undefined, indent: string): string {
  if (!content) return `${indent}content?: never;\n`;
  const rows = Object.entries(content).map(
    ([media, { schema }]) => `${indent}  ${key(media)}: ${typeOf(schema, `${indent}  `)};\n`,
  );
  return `${indent}content: {\n${rows.join('')}${indent}};\n`;
}

function typeOf(schema: Schema, indent: string): string {
  for (const keyword of Object.keys(schema))
    if (!READ.has(keyword) && !IGNORED.has(keyword)) throw new Error(`tools/openapi-types.ts cannot write ${keyword}`);
  if (schema.$ref) return `components['schemas'][${literal(schema.$ref.split('/').at(-1))}]`;
  if ('const' in schema) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return [...new Set(options.map((option) => typeOf(option, indent)))].join(' | ');
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  return types.map((type) => namedType(type, schema, indent)).join(' | ') || 'unknown';
}

function namedType(type: string, schema: Schema, indent: string): string {
  switch (type) {
    case 'integer':
      return 'number';
    case 'array':
      return `(${schema.items ? typeOf(schema.items, indent) : 'unknown'})[]`;
    case 'object':
      return objectType(schema, indent);
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    default:
      throw new Error(`tools/openapi-types.ts cannot write the type ${type}`);
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: Schema, indent: string): string {
  const rows = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema.description, `${indent}  `)}${indent}  ${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, `${indent}  `)};\n`,
  );
  if (typeof additionalProperties === 'object') {
    // Beside named properties of other types, an index signature can only be of a type that holds them all.
    const value = rows.length > 0 ? 'unknown' : typeOf(additionalProperties, `${indent}  `);
    rows.push(`${indent}  [key: string]: ${value};\n`);
  }
  return rows.length > 0 ? `{\n${rows.join('')}${indent}}` : '{ [key: string]: unknown }';
}

function comment(text: string | undefined, indent: string, isDeprecated = false): string {
  const words = [text?.replaceAll('*/', '* /'), isDeprecated ? '@deprecated' : ''].filter(Boolean).join(' ');
  return words ? `${indent}/** ${words} */\n` : '';
}

function key(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name);
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : JSON.stringify(value);
}
