/** Where an answer differs from what is expected, as texts that name the place and both values. */
const VALUE_SHOWN_MAX = 160;
const DIFFERENCES_MAX = 5;

/**
 * At most five differences. Unexpected fields of the outermost object are ignored, so that a server may
 * answer more; everything below is compared to the last field.
 */
export function differencesBetween(expected: Readonly<Record<string, unknown>>, actual: unknown): string[] {
  if (!isRecord(actual)) return [tell('the answer', expected, actual)];
  const found: string[] = [];
  for (const [name, value] of Object.entries(expected)) compare(value, actual[name], name, found);
  return found;
}

/** Both values as JSON, cut where they are long. */
export function tell(place: string, expected: unknown, actual: unknown): string {
  return `${place}: expected ${show(expected)}, got ${show(actual)}`;
}

function compare(expected: unknown, actual: unknown, place: string, found: string[]): void {
  if (found.length >= DIFFERENCES_MAX || Object.is(expected, actual)) return;
  if (Array.isArray(expected) && Array.isArray(actual)) {
    if (expected.length !== actual.length) found.push(tell(`${place}.length`, expected.length, actual.length));
    for (const [i, item] of expected.entries()) compare(item, actual[i], `${place}[${i}]`, found);
  } else if (isRecord(expected) && isRecord(actual)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      compare(expected[name], actual[name], `${place}.${name}`, found);
    }
  } else found.push(tell(place, expected, actual));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= VALUE_SHOWN_MAX ? text : `${text.slice(0, VALUE_SHOWN_MAX)}…`;
}
