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

/** What may be entered, as a sentence without its full stop. */
export function ruleText({ kind }: ConfigField): string {
  switch (kind.type) {
    case 'integer':
      return `${kind.min} to ${kind.max} ${kind.unit}`;
    case 'duration':
      return 'A duration, such as 30s, 5m or 1h30m';
    case 'list':
      return `Separated by commas${kind.rule ? `; each ${kind.rule}` : ''}`;
    case 'map':
      return 'Pairs such as key:value,key:value';
    case 'address':
      return 'Such as https://0.0.0.0:443';
    case 'string':
      return kind.rule ? `${kind.rule.charAt(0).toUpperCase()}${kind.rule.slice(1)}` : '';
    default:
      return '';
  }
}
