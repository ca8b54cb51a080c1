/** Reads the query of a list, collecting every fault, so that one 422 names them all. */
import { z } from 'zod';
import { CodedError } from '../../base/errors.ts';
import { type Parameter, parameter } from '../../protocol/lists/parameter.ts';
import type { RowStyle } from '../../protocol/lists/row-style.ts';
import { type EpochNs, tryParseTimestamp } from '../../protocol/timestamp.ts';
import { acceptedType } from '../http/accept.ts';
import { positionOfCursor } from './cursor.ts';

export const LIMIT_MAX = 10_000;
const TEXT_LENGTH_MAX = 256;
const FORMATS = ['json', 'ndjson', 'csv'] as const;
type Format = RowStyle['format'];

export class ListParameters {
  readonly #query: URLSearchParams;
  /** A map, because a parameter may be called `__proto__`. */
  readonly #faults = new Map<string, string>();

  /** `repeatable`: parameters that may be given more than once. */
  constructor(query: URLSearchParams, known: readonly string[], repeatable: readonly string[] = []) {
    this.#query = query;
    for (const name of new Set(query.keys())) {
      if (!known.includes(name)) this.fault(name, `is not a parameter of this list; want one of ${known.join(', ')}`);
      else if (query.getAll(name).length > 1 && !repeatable.includes(name)) this.fault(name, 'is given more than once');
    }
  }

  /** The value where it passes; else undefined, with the reason among the faults. */
  checked(name: string, faultOf: (value: string) => string | undefined): string | undefined {
    const value = this.#text(name);
    const fault = value === undefined ? undefined : faultOf(value);
    if (fault === undefined) return value;
    this.fault(name, fault);
    return undefined;
  }

  /** A text to compare with: not empty, of a sensible length. */
  word(name: string): string | undefined {
    return this.checked(name, (value) =>
      value === '' || value.length > TEXT_LENGTH_MAX
        ? `has ${value.length} characters; want 1 to ${TEXT_LENGTH_MAX}`
        : undefined,
    );
  }

  time(name: string): EpochNs | undefined {
    const text = this.checked(name, (value) =>
      tryParseTimestamp(value) === undefined ? 'is not a timestamp: want RFC 3339 in UTC' : undefined,
    );
    return text === undefined ? undefined : tryParseTimestamp(text);
  }

  /** A free text in lower case; undefined where it is empty, because every row has that. */
  search(): string | undefined {
    const q = this.checked('q', (value) =>
      value.length > TEXT_LENGTH_MAX ? `has more than ${TEXT_LENGTH_MAX} characters` : undefined,
    );
    return q === undefined || q === '' ? undefined : q.toLowerCase();
  }

  oneOf<T extends string>(name: string, known: readonly T[]): T | undefined {
    return this.checked(name, (value) =>
      (known as readonly string[]).includes(value) ? undefined : `is not one of ${known.join(', ')}`,
    ) as T | undefined;
  }

  /** Every value of a repeatable parameter, once; undefined where it is absent. */
  someOf<T extends string>(name: string, known: readonly T[]): T[] | undefined {
    const values = [...new Set(this.#query.getAll(name))];
    const unknown = values.find((value) => !(known as readonly string[]).includes(value));
    if (unknown !== undefined) this.fault(name, `is not one of ${known.join(', ')}`);
    return values.length === 0 || unknown !== undefined ? undefined : (values as T[]);
  }

  limit(): number | null {
    const text = this.checked('limit', (value) =>
      /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= LIMIT_MAX
        ? undefined
        : `is not a whole number from 1 to ${LIMIT_MAX}`,
    );
    return text === undefined ? null : Number(text);
  }

  /** Where the cursor says that the page begins; null at the beginning. `scope` is what a cursor of this list is sealed to. */
  position(scope: string): Uint8Array | null {
    const cursor = this.#text('cursor');
    const position = cursor === undefined ? null : positionOfCursor(cursor, scope);
    if (position === undefined) this.fault('cursor', 'is not a cursor of this list with this sort and these filters');
    return position ?? null;
  }

  sort<T extends string>(known: readonly T[], otherwise: T): { by: T; descending: boolean } {
    const text = this.checked('sort', (value) =>
      (known as readonly string[]).includes(value.replace(/^-/, ''))
        ? undefined
        : `is not one of ${known.join(', ')}, with - in front for descending`,
    );
    if (text === undefined) return { by: otherwise, descending: false };
    return { by: text.replace(/^-/, '') as T, descending: text.startsWith('-') };
  }

  fields(known: readonly string[]): readonly string[] | null {
    const text = this.checked('fields', (value) => {
      const unknown = value.split(',').find((field) => !known.includes(field));
      return unknown === undefined
        ? undefined
        : `has ${unknown === '' ? 'an empty name' : `an unknown one: ${unknown.slice(0, 64)}`}; want some of ${known.join(', ')}`;
    });
    return text === undefined ? null : [...new Set(text.split(','))];
  }

  /** `format` takes precedence over the header. */
  format(accept: string): Format {
    return this.oneOf('format', FORMATS) ?? acceptedFormat(accept);
  }

  fault(name: string, reason: string): void {
    const shown = name.slice(0, 64);
    if (!this.#faults.has(shown)) this.#faults.set(shown, reason);
  }

  mustBeFaultless(): void {
    if (this.#faults.size > 0) throw new CodedError('invalid', undefined, Object.fromEntries(this.#faults));
  }

  /** The value, or undefined where it is absent or already refused. */
  #text(name: string): string | undefined {
    return this.#faults.has(name) ? undefined : (this.#query.get(name) ?? undefined);
  }
}

export const CURSOR_PARAMETER = parameter(
  'Where the page begins, from the Link header of the previous page',
  z.string(),
  'from-the-Link-header',
);

export const FORMAT_PARAMETER = parameter('json, ndjson or csv; overrides the Accept header', z.enum(FORMATS), 'json');

export function limitParameter(description: string): Parameter {
  return parameter(description, z.int().min(1).max(LIMIT_MAX), 100);
}

export function sortParameter(description: string, known: readonly [string, ...string[]]): Parameter {
  return parameter(description, z.enum([...known, ...known.map((name) => `-${name}`)]), `-${known[0]}`);
}

export function fieldsParameter(known: readonly string[]): Parameter {
  return parameter(
    `Only these fields, separated by commas: some of ${known.join(', ')}`,
    z.string(),
    known.slice(0, 2).join(','),
  );
}

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
};

/** Types by which a format may be asked for; where a client likes several as much, the first that it names. */
const FORMAT_OF_TYPE: Readonly<Record<string, Format>> = {
  'application/json': 'json',
  'text/csv': 'csv',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
};

/** The format that the client likes best; JSON where the header asks for nothing that we have. */
export function acceptedFormat(accept: string): Format {
  const type = acceptedType(accept, Object.keys(FORMAT_OF_TYPE));
  return (type === undefined ? undefined : FORMAT_OF_TYPE[type]) ?? 'json';
}
