/** Values in the string form that configKV takes (interface, endpoint 5), and fields in words. Pure. */
import type { ConfigField, ConfigValue } from '../../../../src/protocol/config/config-fields.ts';

export function valueText(value: ConfigValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, text]) => `${name}:${text}`)
      .join(',');
  return String(value);
}

/** What may be entered. */
export function ruleText({ kind }: ConfigField): string {
  switch (kind.type) {
    case 'integer':
      return `${kind.min} to ${kind.max} ${kind.unit}`;
    case 'duration':
      return 'duration, such as 30s, 5m or 1h30m';
    case 'list':
      return `separated by commas${kind.rule ? `; each ${kind.rule}` : ''}`;
    case 'map':
      return 'key:value,key:value';
    case 'address':
      return 'scheme://host:port';
    case 'string':
      return kind.rule ?? 'text';
    default:
      return '';
  }
}
