/** Values from a JSON schema, and broken ones: for driving every route from its own description. */
import fc from './laws/fast-check.ts';

export interface JsonSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly enum?: readonly unknown[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly format?: string;
}

export function valueFor(schema: JsonSchema, depth = 0): fc.Arbitrary<unknown> {
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueFor(choice, depth)));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  switch (schema.type) {
    case 'string':
      return schema.format === 'date-time'
        ? fc.constant('2026-11-01T10:00:00.5Z')
        : fc.stringMatching(/^[a-z0-9-]{1,12}$/);
    case 'integer':
      return fc.nat(1_000);
    case 'number':
      return fc.double({ min: 0, max: 1_000, noNaN: true });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(schema.items ? valueFor(schema.items, depth + 1) : fc.string(), { maxLength: 3 });
    case 'object': {
      const properties = Object.entries(schema.properties ?? {}).map(
        ([name, inner]) => [name, valueFor(inner, depth + 1)] as const,
      );
      if (properties.length === 0)
        return fc.dictionary(fc.stringMatching(/^[a-zA-Z.]{1,10}$/), fc.string(), { maxKeys: 3 });
      return fc.record(Object.fromEntries(properties), { requiredKeys: [...(schema.required ?? [])] });
    }
    default:
      return fc.anything({ maxDepth: 2 });
  }
}

/** What does not belong anywhere. */
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    null,
    true,
    -1,
    0.5,
    1e308,
    '',
    ' ',
    '\0',
    '../../etc/passwd',
    '__proto__',
    'x'.repeat(5_000),
    [],
    {},
    [[[[]]]],
    { __proto__: null },
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.double(),
  fc.array(fc.jsonValue({ maxDepth: 2 }), { maxLength: 4 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** The value with one place replaced by something that does not belong there, or a place added. */
export function brokenOf(value: unknown): fc.Arbitrary<unknown> {
  const places = placesOf(value);
  return fc.tuple(fc.nat(places.length), hostile).map(([at, replacement]) => {
    const place = places[at];
    return place ? replaceAt(structuredClone(value), place, replacement) : replacement;
  });
}

type Place = readonly (string | number)[];

function placesOf(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return at.length > 0 ? [at] : [];
  const inner = Object.entries(value).flatMap(([key, item]) =>
    placesOf(item, [...at, Array.isArray(value) ? Number(key) : key]),
  );
  return at.length > 0 ? [at, ...inner] : inner;
}

function replaceAt(value: unknown, place: Place, replacement: unknown): unknown {
  let target = value as Record<string | number, unknown>;
  for (const key of place.slice(0, -1)) target = target[key] as Record<string | number, unknown>;
  target[place.at(-1) as string | number] = replacement;
  return value;
}
