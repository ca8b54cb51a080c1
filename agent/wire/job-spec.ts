/** What `cairn run` asks for: who the job is, and everything that its command needs to run as if the caller had started it. */
import { z } from 'zod';
import { idSchema, queueNameSchema } from '../../src/protocol/id.ts';
import { ENGINES, FRESH } from './names.ts';

/** A process has 16 limits; a number here is the kernel's own of the resource. */
const limitSchema = z.object({
  resource: z.number().int().min(0).max(63),
  soft: z.string().regex(/^(u|\d{1,20})$/),
  hard: z.string().regex(/^(u|\d{1,20})$/),
});

const argument = z.string().refine((text) => !text.includes('\0'), 'must not hold a NUL');

/** `fresh` says what may happen without an image: start from scratch, fail, or always start from scratch. */
export const jobSpecSchema = z.object({
  id: idSchema,
  queueName: queueNameSchema,
  name: z.string().min(1).max(1_024),
  cpus: z.number().positive().max(1e6),
  memoryInMB: z.number().min(0).max(1e12).nullable(),
  batchJobIds: z.array(z.string()).max(16),
  engine: z.enum(ENGINES),
  fresh: z.enum(FRESH),
  argv: z.array(argument).min(1).max(100_000),
  env: z.record(z.string(), argument),
  cwd: z.string().startsWith('/'),
  uid: z.number().int().min(0),
  gid: z.number().int().min(0),
  groups: z.array(z.number().int().min(0)).max(1_024),
  umask: z.number().int().min(0).max(0o777),
  limits: z.array(limitSchema).max(32),
});
export type JobSpec = z.infer<typeof jobSpecSchema>;
