/** Values of the API as text: flattened by dotted path for tables and CSV. */

export type Row = Readonly<Record<string, unknown>>;

/** The value at a dotted path, or under the whole path as one name. */
export function valueAt(row: unknown, path: string): unknown {
  if (typeof row !== 'object' || row === null) return undefined;
  if (Object.hasOwn(row, path)) return (row as Row)[path];
  const [first = '', ...rest] = path.split('.');
  return rest.length === 0 ? (row as Row)[first] : valueAt((row as Row)[first], rest.join('.'));
}

/** Leaves by dotted path; lists of plain values are one leaf, lists of objects are left out. */
export function flatten(value: unknown, prefix = ''): [path: string, leaf: unknown][] {
  if (Array.isArray(value)) {
    return value.some((item) => typeof item === 'object' && item !== null) ? [] : [[prefix, value]];
  }
  if (typeof value !== 'object' || value === null) return [[prefix, value]];
  const entries = Object.entries(value);
  if (entries.length === 0 && prefix !== '') return [[prefix, '']];
  return entries.flatMap(([name, part]) => flatten(part, prefix === '' ? name : `${prefix}.${name}`));
}

export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(cellOf).join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
