/** Identifiers of nodes, jobs, queues and metrics (contract section 3). */
import { z } from 'zod';

declare const brand: unique symbol;
export type NodeId = string & { readonly [brand]?: 'NodeId' };
export type JobId = string & { readonly [brand]?: 'JobId' };
export type ObjectId = string & { readonly [brand]?: 'ObjectId' };
export type DefinitionId = string & { readonly [brand]?: 'DefinitionId' };

const ID_RULE = '1 to 128 characters of A-Z a-z 0-9 . _ : @ -';
const QUEUE_RULE = '1 to 128 characters of A-Z a-z 0-9 . _ : @ - / and space';

const ID_FORM = /^[A-Za-z0-9._:@-]{1,128}$/;
export const idSchema = z.string().regex(ID_FORM, ID_RULE);
export const queueNameSchema = z.string().regex(/^[A-Za-z0-9._:@/ -]{1,128}$/, QUEUE_RULE);
/** A metric's object: `system-total`, `node-<id>`, `queue-<name>`, or a name of the sender's own. */
export const objectIdSchema = z
  .string()
  .regex(/^[A-Za-z0-9._:@/ -]{1,160}$/, 'a metric object id: at most 160 of A-Z a-z 0-9 . _ : @ - / and space');

/** As `idSchema`, for callers that count nanoseconds. */
export function isId(text: string): boolean {
  return ID_FORM.test(text);
}

/** `.` and `..` are ids by the grammar, and harmless as such; where an id becomes a folder name they are refused. */
export function isFolderSafe(id: string): boolean {
  return id !== '.' && id !== '..' && !id.includes('/');
}
