/**
 * Reads one configuration value, from its string form (configKV) or its JSON form (config.json, the deprecated
 * ckptConfig). Both give the form that GET /api/v1/config shows, or the reason why not.
 */
import { formatAddress, tryParseAddress } from '../address.ts';
import { type DurationNs, formatDuration, tryParseDuration } from '../duration.ts';
import { isCleanText } from '../text.ts';
import type { ConfigField, ConfigValue, FieldKind } from './config-fields.ts';

export type ValueResult =
  | { readonly ok: true; readonly value: ConfigValue }
  | { readonly ok: false; readonly reason: string };

const LIST_ENTRIES_MAX = 256;
const ENTRY_LENGTH_MAX = 1024;
const VALUE_LENGTH_MAX = 65_536;

export function readConfigText(field: ConfigField, text: string): ValueResult {
  if (text.length > VALUE_LENGTH_MAX) return bad(`is longer than ${VALUE_LENGTH_MAX} characters`);
  switch (field.kind.type) {
    case 'integer':
      return /^[+-]?\d{1,18}$/.test(text)
        ? checkInteger(field.kind, Number(text))
        : bad('is not a whole number, such as 500');
    case 'boolean':
      return text === 'true' || text === 'false' ? good(text === 'true') : bad('is neither true nor false');
    case 'list':
      return text === ''
        ? good([])
        : checkList(
            field.kind,
            text.split(',').map((entry) => entry.trim()),
          );
    case 'map':
      return readMapText(field.kind, text);
    default:
      return readConfigJson(field, text);
  }
}

export function readConfigJson(field: ConfigField, value: unknown): ValueResult {
  const { kind } = field;
  switch (kind.type) {
    case 'string':
      return typeof value === 'string' ? checkString(kind, value) : bad('is not a string');
    case 'address':
      return checkAddress(value);
    case 'integer':
      return typeof value === 'number' ? checkInteger(kind, value) : bad('is not a number');
    case 'boolean':
      return typeof value === 'boolean' ? good(value) : bad('is not a boolean');
    case 'duration':
      return checkDuration(value);
    case 'enum':
      return checkEnum(kind, value);
    case 'list':
      if (value === null && kind.nullable) return good(null);
      return isStringArray(value) ? checkList(kind, value) : bad('is not an array of strings');
    case 'map':
      return isStringMap(value) ? checkMap(kind, Object.entries(value)) : bad('is not a map of strings');
  }
}

function checkString(kind: FieldKind & { type: 'string' }, value: string): ValueResult {
  if (value.length > kind.lengthMax) return bad(`is longer than ${kind.lengthMax} characters`);
  if (!isCleanText(value)) return bad('holds a control character');
  return kind.pattern && !kind.pattern.test(value) ? bad(`is not ${kind.rule ?? 'of the form'}`) : good(value);
}

/** Port 0 (any free port) is read here, because a seed from the command line may ask for it; configKV refuses it later. */
function checkAddress(value: unknown): ValueResult {
  const address = typeof value === 'string' ? tryParseAddress(value, { allowPortZero: true }) : undefined;
  return address
    ? good(formatAddress(address))
    : bad('is not scheme://host:port with http or https and an IP address or localhost');
}

function checkInteger(kind: FieldKind & { type: 'integer' }, value: number): ValueResult {
  if (!Number.isInteger(value)) return bad('is not a whole number, such as 500');
  if (value < kind.min || value > kind.max) return bad(`is out of range: want ${kind.min} to ${kind.max} ${kind.unit}`);
  return good(value);
}

function checkDuration(value: unknown): ValueResult {
  let ns: DurationNs | undefined;
  if (typeof value === 'string') ns = tryParseDuration(value);
  // Also beyond 2^53, where 2502h begin: a double of that size is still a whole number of nanoseconds.
  else if (typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 63) ns = BigInt(value);
  if (ns === undefined) return bad('is not a duration in hours, minutes and seconds, such as 5m, 1h30m or 72h');
  return ns > 0n ? good(formatDuration(ns)) : bad('is not above zero');
}

function checkEnum(kind: FieldKind & { type: 'enum' }, value: unknown): ValueResult {
  if (typeof value !== 'string') return bad('is not a string');
  const refused = kind.refused && Object.hasOwn(kind.refused, value) ? kind.refused[value] : undefined;
  if (refused !== undefined) return bad(refused);
  return kind.values.includes(value) ? good(value) : bad(`is not one of ${kind.values.join(', ')}`);
}

function checkList({ entry: form, rule }: FieldKind & { type: 'list' }, entries: readonly string[]): ValueResult {
  if (entries.length > LIST_ENTRIES_MAX) return bad(`has more than ${LIST_ENTRIES_MAX} entries`);
  if (entries.some((entry) => entry === '')) return bad('has an empty entry');
  if (entries.some((entry) => entry.length > ENTRY_LENGTH_MAX))
    return bad(`has an entry over ${ENTRY_LENGTH_MAX} characters`);
  if (!entries.every(isCleanText)) return bad('has an entry that holds a control character');
  const odd = form && entries.find((entry) => !form.test(entry));
  if (odd !== undefined) return bad(`has an entry that is not ${rule}`);
  return good([...entries]);
}

function readMapText(kind: MapKind, text: string): ValueResult {
  if (text === '') return good({});
  const entries: [string, string][] = [];
  for (const pair of text.split(',')) {
    const colon = pair.indexOf(':');
    if (colon < 0) return bad('has a pair without a colon; want key:value,key:value');
    entries.push([pair.slice(0, colon).trim(), pair.slice(colon + 1).trim()]);
  }
  return checkMap(kind, entries);
}

type MapKind = FieldKind & { type: 'map' };

function checkMap(kind: MapKind, entries: readonly (readonly [string, string])[]): ValueResult {
  if (entries.length > LIST_ENTRIES_MAX) return bad(`has more than ${LIST_ENTRIES_MAX} entries`);
  const seen = new Set<string>();
  for (const [key, value] of entries) {
    if (key === '') return bad('has a pair without a key');
    if (key === '__proto__') return bad('has a key that is not allowed');
    if (seen.has(key)) return bad('has the same key twice');
    if (key.length + value.length > ENTRY_LENGTH_MAX) return bad(`has a pair over ${ENTRY_LENGTH_MAX} characters`);
    if (!isCleanText(key) || !isCleanText(value)) return bad('has a pair that holds a control character');
    const fault = kind.pairFault?.(key, value);
    if (fault !== undefined) return bad(fault);
    seen.add(key);
  }
  return good(Object.fromEntries(entries));
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}

function isStringMap(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((entry) => typeof entry === 'string')
  );
}

function good(value: ConfigValue): ValueResult {
  return { ok: true, value };
}

function bad(reason: string): ValueResult {
  return { ok: false, reason };
}
