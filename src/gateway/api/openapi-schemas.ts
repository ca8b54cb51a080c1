/** The components of the OpenAPI document: every schema that has an id, as zod describes it. */
import { z } from 'zod';
import { ERROR_CODES } from '../../base/error-codes.ts';

const PREFIX = '#/components/schemas/';

const CODES = [...new Set(Object.values(ERROR_CODES).map(({ code }) => code))].sort((a, b) => a - b);

export const errorSchema = z
  .object({
    statusCode: z.int().describe('Equals the HTTP status'),
    errorCode: z.literal(CODES).describe('What failed; the list of errors says when each is answered'),
    message: z.string().describe('Begins with the text of the error code; a colon and a detail may follow'),
    fields: z.record(z.string(), z.unknown()).optional().describe('What is wrong with each value, or what is needed'),
  })
  .meta({
    id: 'Error',
    description: 'Why a call failed',
    examples: [
      { statusCode: 422, errorCode: 1003, message: 'Invalid argument', fields: { limit: 'is not a whole number' } },
    ],
  });

type Json = Readonly<Record<string, unknown>>;

/** A reference to the schema's component. Throws where it has no id. */
export function referenceTo(schema: z.ZodType): Json {
  const id = z.globalRegistry.get(schema)?.id;
  if (id === undefined)
    throw new Error('a schema of a route has no id: name it with .meta({ id, description, examples })');
  return { $ref: PREFIX + id };
}

/** What a parameter is: a component, or a schema without any inside. */
export function parameterSchema(schema: z.ZodType): Json {
  if (z.globalRegistry.get(schema)?.id !== undefined) return referenceTo(schema);
  return plain(z.toJSONSchema(schema, OPTIONS) as Json);
}

/** Every component that the parts of a document refer to, directly or through others; by name. */
export function componentsOf(parts: unknown): Json {
  const { schemas } = z.toJSONSchema(z.globalRegistry, OPTIONS);
  const found = new Map<string, Json>();
  const pending = referencesIn(parts);
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (found.has(name)) continue;
    const schema = plain(schemas[name] as Json);
    found.set(name, schema);
    pending.push(...referencesIn(schema));
  }
  return Object.fromEntries([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * As they are sent: an answer may gain fields without notice, so objects are open in both directions, and one component
 * serves for requests and answers.
 */
const OPTIONS = {
  io: 'input',
  unrepresentable: 'any',
  target: 'draft-2020-12',
  uri: (id: string) => PREFIX + id,
} as const;

function plain({ $schema: _, $id: __, ...rest }: Json): Json {
  return rest;
}

function referencesIn(value: unknown): string[] {
  return [...JSON.stringify(value).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name as string,
  );
}
