/** Identifiers of nodes, jobs, queues and metrics (contract section 3). */
import { z } from 'zod';
import { ID_FORM, isNoStep, OBJECT_ID_FORM, QUEUE_NAME_FORM, STEP_FAULT } from '../base/format/ids.ts';

export { isId, isObjectId } from '../base/format/ids.ts';

declare const brand: unique symbol;
export type NodeId = string & { readonly [brand]?: 'NodeId' };
export type JobId = string & { readonly [brand]?: 'JobId' };
export type ObjectId = string & { readonly [brand]?: 'ObjectId' };
export type DefinitionId = string & { readonly [brand]?: 'DefinitionId' };

const ID_RULE = 'is not 1 to 128 characters of A-Z a-z 0-9 . _ : @ -';
const QUEUE_RULE = 'is not 1 to 128 characters of A-Z a-z 0-9 . _ : @ - / and space';

export const idSchema = z
  .string()
  .regex(ID_FORM, ID_RULE)
  .refine(isNoStep, STEP_FAULT)
  .meta({
    id: 'Id',
    description: 'Id of a node, a job or a metric: 1 to 128 characters of A-Z a-z 0-9 . _ : @ -; not . or ..',
    examples: ['job-1'],
  });
export const queueNameSchema = z
  .string()
  .regex(QUEUE_NAME_FORM, QUEUE_RULE)
  .refine(isNoStep, STEP_FAULT)
  .meta({
    id: 'QueueName',
    description: 'Name of a queue: 1 to 128 characters of A-Z a-z 0-9 . _ : @ - / and space; not . or ..',
    examples: ['genomics'],
  });
/** A metric's object: `system-total`, `node-<id>`, `queue-<name>`, or a name of the sender's own. */
export const objectIdSchema = z
  .string()
  .regex(OBJECT_ID_FORM, 'is not 1 to 160 characters of A-Z a-z 0-9 . _ : @ - / and space')
  .refine(isNoStep, STEP_FAULT)
  .meta({
    id: 'ObjectId',
    description: 'What a metric is measured of: system-total, queue-<name>, node-<id>, or a name of the sender',
    examples: ['queue-genomics'],
  });

/** Whether an id may be a folder's name. */
export function isFolderSafe(id: string): boolean {
  return isNoStep(id) && !id.includes('/');
}
