/** What a schema's complaint tells the caller: a sentence that continues the name of the field. Pure. */
import type { z } from 'zod';

const KINDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', set: 'entries' };

/** undefined: the schema library's own words. Messages that a schema gives itself come before this. */
export function plainFault(issue: z.core.$ZodRawIssue): string | undefined {
  if (issue.input === undefined && issue.code !== 'unrecognized_keys') return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return `is not ${KINDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `is not ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return bound(issue.origin, 'fewer', issue.inclusive === false ? 'not above' : 'below', issue.minimum);
    case 'too_big':
      return bound(issue.origin, 'more', issue.inclusive === false ? 'not below' : 'above', issue.maximum);
    case 'unrecognized_keys':
      return `has fields that are not known: ${issue.keys.join(', ')}`;
    case 'invalid_key':
      return `is a name that ${issue.issues[0]?.message ?? 'is not allowed'}`;
    case 'invalid_union':
      return 'has none of the forms that are allowed here';
    default:
      return undefined;
  }
}

function bound(origin: string, countWord: string, valueWord: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  if (unit && countWord === 'fewer' && limit === 1) return 'is empty';
  return unit ? `has ${countWord} than ${limit} ${unit}` : `is ${valueWord} ${limit}`;
}
