/** Routes of jobs and their events. */
import { z } from 'zod';
import { epochSchema } from '../../../protocol/claim.ts';
import { jobExplanationSchema } from '../../../protocol/explain/finding.ts';
import { queueNameSchema } from '../../../protocol/id.ts';
import {
  jobDetailSchema,
  jobEventsSchema,
  jobListSchema,
  jobUpdateReplySchema,
  jobUpdatesSchema,
} from '../../../protocol/job.ts';
import { jobCountSchema } from '../../../protocol/lists/job-query.ts';
import { flagParameter, parameter } from '../../../protocol/lists/parameter.ts';
import { checkpointOrderAnswerSchema, orderSchema } from '../../../protocol/order.ts';
import type { Route } from '../../http/route.ts';
import { JOB_COUNT_PARAMETERS, JOB_PARAMETERS } from '../../lists/job-parameters.ts';
import { bytesSchema, json, jsonBody, LIST_FORMS, MIB, text } from './forms.ts';

export const JOBS_ROUTES = [
  {
    name: 'listJobs',
    method: 'GET',
    path: '/api/v1/job',
    access: 'scoped',
    summary: 'List jobs with their events',
    query: JOB_PARAMETERS,
    answer: { ...json(jobListSchema, 'Jobs by createdAt, then id; Link names the next page'), ...LIST_FORMS },
    errors: ['invalid'],
  },
  {
    name: 'countJobs',
    method: 'GET',
    path: '/api/v1/job/count',
    access: 'scoped',
    summary: 'Count jobs by phase, status or queue',
    query: JOB_COUNT_PARAMETERS,
    answer: json(jobCountSchema, 'The number of jobs, in all and by name'),
    errors: ['invalid'],
  },
  {
    name: 'postJobs',
    method: 'POST',
    path: '/api/v1/job',
    access: 'worker',
    names: 'jobs',
    summary: 'Report job updates: one, or an array of at most 1,000',
    body: jsonBody(jobUpdatesSchema, 8 * MIB),
    answer: json(jobUpdateReplySchema, 'What was accepted'),
    errors: ['invalid', 'jobClaimed', 'storageFull'],
  },
  {
    name: 'getJob',
    method: 'GET',
    path: '/api/v1/job/{id}',
    access: 'scoped',
    summary: 'Read one job with the values derived from its events',
    answer: json(jobDetailSchema, 'The job'),
    errors: ['notFound'],
  },
  {
    name: 'checkpointJob',
    method: 'POST',
    path: '/api/v1/job/{id}/checkpoint',
    access: 'operator',
    summary: 'Order a checkpoint of a running job; its node gets the order with the reply to its next heartbeat',
    answer: { ...json(orderSchema, 'The order'), status: 202 },
    errors: ['invalid', 'notFound', 'storageFull'],
  },
  {
    name: 'getCheckpointOrder',
    method: 'GET',
    path: '/api/v1/job/{id}/checkpoint',
    access: 'scoped',
    summary: 'Read what became of the last order to save a job: whether its node has taken it',
    answer: json(checkpointOrderAnswerSchema, 'The order; what the node did then, events of the job tell'),
    errors: ['notFound'],
  },
  {
    name: 'explainJob',
    method: 'GET',
    path: '/api/v1/job/{id}/explain',
    access: 'scoped',
    summary: 'Explain whether a job makes progress, why not, and what to do',
    answer: json(jobExplanationSchema, 'A summary, and findings from the worst to the mildest'),
    errors: ['notFound'],
  },
  {
    name: 'getJobBundle',
    method: 'GET',
    path: '/api/v1/job/{id}/logs.tar.gz',
    access: 'scoped',
    summary:
      'Download everything about a job in one file: the job, the logs of its nodes and the server log lines about it',
    answer: { description: 'A compressed tar file', contentType: 'application/gzip', schema: bytesSchema },
    errors: ['notFound'],
  },
  {
    name: 'getJobOutput',
    method: 'GET',
    path: '/api/v1/job/{id}/output/{output}',
    access: 'scoped',
    summary: 'Read what a job wrote to standard output (stdout) or standard error (stderr), joined over its copies',
    query: {
      copy: parameter('last: only what the newest copy wrote; defaults to all copies', z.enum(['last']), 'last'),
      follow: flagParameter('true: keep sending what the job writes, until it ends or the client disconnects'),
    },
    answer: text('The output'),
    errors: ['invalid', 'notFound'],
  },
  {
    name: 'postJobEvents',
    method: 'POST',
    path: '/api/v1/job/{id}/event',
    access: 'worker',
    names: 'events',
    summary: 'Report events of a job: one, or an array',
    query: {
      queueName: parameter('Queue of the job; required if the job is new', queueNameSchema, 'genomics'),
      epoch: parameter('Epoch of the claim under which the copy runs', epochSchema, 1),
    },
    body: jsonBody(jobEventsSchema, 8 * MIB),
    answer: json(jobDetailSchema, 'The job'),
    errors: ['invalid', 'notFound', 'jobClaimed', 'storageFull'],
  },
] as const satisfies readonly Route[];
