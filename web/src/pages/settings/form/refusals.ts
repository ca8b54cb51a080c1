/** What the server refused of a form: by field, and in words for its foot. */
import { ApiError } from '../../../api/request.ts';
import { messageOf } from '../../../parts/states.tsx';
import { faultText } from './value-text.ts';

/** A list names the place in it, too: `queues[0]` is of the field `queues`. */
const fieldOf = (path: string): string => path.split(/[.[]/, 1)[0] ?? path;

/** The paths of settings are their names. */
export const asSetting = (path: string): string => path;

/** Why, by field. `nameOf`: the field that a path of the server's answer is of. */
export function refusedFields(error: unknown, nameOf = fieldOf): Readonly<Record<string, string>> {
  if (!(error instanceof ApiError)) return {};
  return Object.fromEntries(Object.entries(error.fields).map(([path, reason]) => [nameOf(path), String(reason)]));
}

/** The same by the labels of its fields, a line for each; what the server says as a whole where it is of no field. */
export function refusalText(
  error: Error | null,
  labels: Readonly<Record<string, string>>,
  nameOf = fieldOf,
): string | undefined {
  if (error === null) return undefined;
  const refused = Object.entries(refusedFields(error, nameOf));
  if (refused.length === 0) return messageOf(error);
  return refused.map(([field, reason]) => faultText(labels[field] ?? field, field, reason)).join('\n');
}
