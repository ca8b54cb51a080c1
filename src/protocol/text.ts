/**
 * What workers send must never make a workload fail (contract section 4): strings that are too long are cut, and the
 * reply says so. Runs before validation, on plain parsed data.
 */
export const TEXT_LENGTH_MAX = 1_024;
const WARNINGS_MAX = 32;
const DEPTH_MAX = 8;

/** Returns the value with its long strings cut; `warnings` gets one line for each cut, at most 32. */
export function cutLongTexts(value: unknown, warnings: string[], path = '', depth = 0): unknown {
  if (typeof value === 'string') return value.length <= TEXT_LENGTH_MAX ? value : cut(value, warnings, path);
  if (typeof value !== 'object' || value === null || depth >= DEPTH_MAX) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const inner: unknown = value[i];
      if (needsLook(inner)) value[i] = cutLongTexts(inner, warnings, `${path}[${i}]`, depth + 1);
    }
    return value;
  }
  const record = value as Record<string, unknown>;
  for (const key of Object.keys(record)) {
    const inner = record[key];
    if (needsLook(inner)) record[key] = cutLongTexts(inner, warnings, path === '' ? key : `${path}.${key}`, depth + 1);
  }
  return record;
}

function needsLook(value: unknown): boolean {
  return typeof value === 'string' ? value.length > TEXT_LENGTH_MAX : typeof value === 'object' && value !== null;
}

function cut(text: string, warnings: string[], path: string): string {
  if (warnings.length < WARNINGS_MAX) {
    warnings.push(`${path.slice(0, 200)} was cut from ${text.length} to ${TEXT_LENGTH_MAX} characters`);
  }
  // Not between the halves of a surrogate pair.
  const end = (text.codePointAt(TEXT_LENGTH_MAX - 1) ?? 0) > 0xffff ? TEXT_LENGTH_MAX - 1 : TEXT_LENGTH_MAX;
  return text.slice(0, end);
}
