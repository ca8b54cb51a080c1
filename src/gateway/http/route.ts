/** What a route is: the row from which the router, the access check, the OpenAPI document and the tests are made. */
import type { z } from 'zod';
import type { ErrorName } from '../../base/errors.ts';
import type { Parameter } from '../../protocol/lists/parameter.ts';

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

/**
 * Who may call it while the identity provider is on: a row of the table in `access.ts`. What is `scoped` hides from a
 * caller who is bound to queues what is not theirs, or tells nothing of queues; what is `user` is refused to that caller.
 */
export type Access =
  | 'anyone'
  | 'self'
  | 'user'
  | 'scoped'
  | 'scoped-or-worker'
  | 'scoped-or-own-worker'
  | 'operator'
  | 'admin'
  | 'disable'
  | 'register'
  | 'worker';

/** Where a worker's call names nodes; with a node token all of them must be its own. */
export type NamedNodes = 'path' | 'beats' | 'jobs' | 'events' | 'samples' | 'claim';

export type BodyKind = 'json' | 'msgpack' | 'ndjson' | 'bytes';

export interface RouteBody {
  readonly schema: z.ZodType | null;
  readonly kinds: readonly BodyKind[];
  /** Bytes, also after decompression. */
  readonly sizeMax: number;
  readonly optional?: boolean;
  /** Its lines and columns are read by readers of their own (`sample-lines.ts`, `sample-columns.ts`), not into objects. */
  readonly readersOf?: 'samples';
}

export interface RouteAnswer {
  readonly description: string;
  readonly contentType: string;
  readonly schema: z.ZodType | null;
  /** Other forms that the caller may ask for. */
  readonly alsoAs?: readonly string[];
  /** 200 if absent; 202: it is taken, and done later. */
  readonly status?: 202;
  /** It has an ETag, and If-None-Match may be answered with 304. */
  readonly hasEtag?: boolean;
}

export interface Route {
  /** Operation id, and the name of its handler. */
  readonly name: string;
  readonly method: Method;
  /** `{x}` is one segment; `{x...}`, at the end, is the rest. */
  readonly path: string;
  readonly summary: string;
  readonly access: Access;
  /** Every route that a node token opens has it, except those that name none. */
  readonly names?: NamedNodes;
  readonly query?: Readonly<Record<string, Parameter>>;
  /** Of the path, where the table in `openapi-parameters.ts` does not know them. */
  readonly params?: Readonly<Record<string, Parameter>>;
  readonly body?: RouteBody;
  readonly answer: RouteAnswer;
  readonly errors: readonly ErrorName[];
  readonly deprecated?: boolean;
  /** Its path follows the configured log file's name, so the router does not hold it. */
  readonly followsLogName?: boolean;
}

export type Params = Readonly<Record<string, string>>;
