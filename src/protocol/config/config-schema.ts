/** The configuration as zod schemas, made from the table of its fields: for the OpenAPI document. */
import { z } from 'zod';
import { CONFIG_FIELDS, type ConfigField, type ConfigValue } from './config-fields.ts';

const DURATION = z.string().meta({
  id: 'Duration',
  description: 'A duration as Go writes it, such as 30s, 5m0s or 1h30m0s',
  examples: ['5m0s'],
});

type Shape = Record<string, z.ZodType>;

/** `Configuration`, with a component for each group: `ConfigurationLog`, `ConfigurationSecurityIdp`, … */
export const configSchema = groupSchema('');

/** Body of PUT /api/v1/configKV: every value is a text. */
export const configChangesSchema = z
  .object({
    kvMap: z.looseObject(textShape()).meta({
      id: 'ConfigurationTexts',
      description: 'New values by dotted path, each as a text',
      examples: [{ 'node.heartbeat': '30s', 'log.level': 'info' }],
    }),
  })
  .meta({
    id: 'ConfigurationChanges',
    description: 'Changes of the configuration: all of them are made, or none',
    examples: [{ kvMap: { 'node.heartbeat': '30s', 'log.level': 'info' } }],
  });

/** Body of PUT /api/v1/ckptConfig. */
export const ckptChangesSchema = z
  .object(shapeOf('ckpt.'))
  .partial()
  .meta({
    id: 'CheckpointChanges',
    description: 'Changes of checkpoint settings; durations may also be integer nanoseconds',
    examples: [{ ckptInterval: '15m0s' }],
  });

const LOG_SETTINGS = { level: true, maxSizeMB: true, maxBackups: true } as const;
const EXAMPLE_LOG = { level: 'info', maxSizeMB: 10, maxBackups: 10 };

export const logConfigSchema = z
  .object(shapeOf('log.'))
  .pick(LOG_SETTINGS)
  .meta({ id: 'LogConfiguration', description: 'Settings of the server log', examples: [EXAMPLE_LOG] });

export const logChangesSchema = z
  .object(shapeOf('log.'))
  .pick(LOG_SETTINGS)
  .partial()
  .meta({
    id: 'LogConfigurationChanges',
    description: 'Changes of the server log’s settings',
    examples: [EXAMPLE_LOG],
  });

export const configHistorySchema = z
  .array(
    z
      .object({
        version: z.number().int(),
        time: z.string(),
        who: z.string(),
        key: z.string(),
        old: z.unknown(),
        new: z.unknown(),
      })
      .meta({ id: 'ConfigurationChange', description: 'Who changed what, and when', examples: [exampleChange()] }),
  )
  .meta({
    id: 'ConfigurationHistory',
    description: 'The last changes of the configuration, newest first',
    examples: [[exampleChange()]],
  });

function exampleChange(): object {
  return { version: 2, time: '2026-05-04T10:00:00.000Z', who: 'ann', key: 'node.ttl', old: '5m0s', new: '10m0s' };
}

function groupSchema(prefix: string): z.ZodObject {
  const name = prefix.split('.').map(capital).join('');
  return z.object(shapeOf(prefix)).meta({
    id: `Configuration${name}`,
    description: prefix === '' ? 'The whole configuration' : `The settings ${prefix}*`,
    examples: [exampleOf(prefix)],
  });
}

function shapeOf(prefix: string): Shape {
  const shape: Shape = {};
  for (const [name, path, field] of childrenOf(prefix)) {
    const group = field ? fieldSchema(field) : groupSchema(`${path}.`);
    // Callers who are bound to queues are not shown it.
    shape[name] = path === 'security' ? group.optional().describe('Absent for callers bound to queues') : group;
  }
  return shape;
}

function exampleOf(prefix: string): Record<string, unknown> {
  return Object.fromEntries(
    [...childrenOf(prefix)].map(([name, path, field]) => [name, field ? shown(field.default) : exampleOf(`${path}.`)]),
  );
}

/** Placeholders such as `<data-dir>/tls/server.crt` stand for what is made at first start. */
function shown(value: ConfigValue): ConfigValue {
  return typeof value === 'string'
    ? value.replace('<data-dir>', '/var/lib/cairn').replace('<log-dir>', '/var/log/cairn')
    : value;
}

function* childrenOf(prefix: string): Iterable<readonly [name: string, path: string, field: ConfigField | null]> {
  const seen = new Set<string>();
  for (const field of CONFIG_FIELDS) {
    if (!field.path.startsWith(prefix)) continue;
    const [name = '', ...deeper] = field.path.slice(prefix.length).split('.');
    if (seen.has(name)) continue;
    seen.add(name);
    yield [name, prefix + name, deeper.length === 0 ? field : null];
  }
}

function fieldSchema({ kind, meaning, path }: ConfigField): z.ZodType {
  const schema = ((): z.ZodType => {
    switch (kind.type) {
      case 'integer':
        return z.int().min(kind.min).max(kind.max);
      case 'boolean':
        return z.boolean();
      case 'duration':
        return DURATION;
      case 'enum':
        return z.enum(kind.values as [string, ...string[]]);
      case 'list':
        return kind.nullable ? z.array(z.string()).nullable() : z.array(z.string());
      case 'map':
        return z.record(z.string(), z.string());
      case 'address':
        return z.string();
      case 'string':
        return z.string().max(kind.lengthMax);
    }
  })();
  const unit = kind.type === 'integer' ? ` In ${kind.unit}.` : '';
  return schema.describe(`${path}: ${meaning}${unit}`);
}

function textShape(): Shape {
  return Object.fromEntries(
    CONFIG_FIELDS.filter(({ fixed }) => fixed === undefined).map(({ path, meaning }) => [
      path,
      z.string().optional().describe(meaning),
    ]),
  );
}

function capital(word: string): string {
  return word === '' ? '' : word[0]?.toUpperCase() + word.slice(1);
}
