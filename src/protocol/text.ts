/**
 * The texts of requests. No text of any schema holds a control character or half of a surrogate pair: such a text does not
 * come back as it went in from every place that it gets to (a line of a log, a header, UTF-8).
 *
 * What workers send must never make a workload fail (contract section 4), so a text that is too long is cut and control
 * characters are removed from it, and the reply says so. An id or a reference is not changed: another one would be meant.
 * It is refused. Decision 0061.
 */
import { z } from 'zod';

export const TEXT_LENGTH_MAX = 1_024;
const WARNINGS_MAX = 32;
const DEPTH_MAX = 8;

/** C0, DEL and C1; with the flag `u`, \p{Cs} is a surrogate without its other half. */
const UNCLEAN = /[\p{Cc}\p{Cs}]/u;
const ALL_UNCLEAN = /[\p{Cc}\p{Cs}]/gu;

/** Fields that name something. A text in a field that is not listed is cleaned, or refused where nothing cleans it. */
const REFERENCES: ReadonlySet<string> = new Set([
  'id',
  'nodeId',
  'queueName',
  'objectId',
  'definitionId',
  'instanceId',
  'nodeOid',
  'containerId',
  'batchJobId',
  'batchJobIds',
  'volumnId',
  'queue',
  'queues',
  'job',
  'node',
  'url',
  'secret',
  'done',
  'eventTypes',
]);

/** The schema of every text that has no stricter one of its own. */
export const textSchema = z.string().refine(isCleanText, 'holds a control character');

export function isCleanText(text: string): boolean {
  return !UNCLEAN.test(text);
}

/**
 * Plain parsed data, before validation: returns the value with its long texts cut and control characters removed from
 * what is no reference. `warnings` gets one line for each change, at most 32; `path` is where the value stands in the body.
 */
export function cleanTexts(value: unknown, warnings: string[], lengthMax = TEXT_LENGTH_MAX, path = ''): unknown {
  return cleaned(value, { warnings, lengthMax }, '', path, 0);
}

interface Rules {
  readonly warnings: string[];
  readonly lengthMax: number;
}

/** `name` is that of the field, or of the array that the value is in. */
function cleaned(value: unknown, rules: Rules, name: string, path: string, depth: number): unknown {
  if (typeof value === 'string') return cleanedText(value, rules, name, path);
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const inner: unknown = value[i];
      if (needsLook(inner, rules)) value[i] = cleaned(inner, rules, name, `${path}[${i}]`, depth + 1);
    }
    return value;
  }
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    const inner = record[key];
    if (needsLook(inner, rules))
      record[key] = cleaned(inner, rules, key, path === '' ? key : `${path}.${key}`, depth + 1);
  }
  return record;
}

function needsLook(value: unknown, { lengthMax }: Rules): boolean {
  if (typeof value === 'string') return value.length > lengthMax || UNCLEAN.test(value);
  return typeof value === 'object' && value !== null;
}

function cleanedText(text: string, { warnings, lengthMax }: Rules, name: string, path: string): string {
  const warn = (change: string): void => {
    if (warnings.length < WARNINGS_MAX) warnings.push(`${path.slice(0, 200)} ${change}`);
  };
  let result = text;
  if (!REFERENCES.has(name) && UNCLEAN.test(text)) {
    result = text.replace(ALL_UNCLEAN, '');
    warn('held control characters, which were removed');
  }
  if (result.length <= lengthMax) return result;
  warn(`was cut from ${result.length} to ${lengthMax} characters`);
  return cut(result, lengthMax);
}

/** Not between the halves of a surrogate pair. */
function cut(text: string, lengthMax: number): string {
  return text.slice(0, (text.codePointAt(lengthMax - 1) ?? 0) > 0xffff ? lengthMax - 1 : lengthMax);
}
