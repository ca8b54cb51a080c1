/** Which handler answers which route. The compiler holds this to the routing table. */

import type { RouteName } from '../api/routes.ts';
import * as audit from './audit.ts';
import { claimJob } from './claims.ts';
import * as config from './config.ts';
import * as events from './events.ts';
import type { Handler } from './handler.ts';
import * as health from './health.ts';
import * as heartbeats from './heartbeats.ts';
import * as idp from './idp.ts';
import { getJobBundle } from './job-bundle.ts';
import { listJobs } from './job-list.ts';
import * as jobs from './jobs.ts';
import * as logs from './logs.ts';
import { listMetrics } from './metric-list.ts';
import * as metrics from './metrics.ts';
import { listNodes } from './node-list.ts';
import * as notices from './node-notices.ts';
import * as nodeTokens from './node-tokens.ts';
import * as nodes from './nodes.ts';
import { listQueues } from './queues.ts';
import * as samples from './samples.ts';

export const HANDLERS: Readonly<Record<RouteName, Handler>> = {
  getIdp: idp.getIdp,
  enableIdp: idp.enableIdp,
  disableIdp: idp.disableIdp,
  makeNodeToken: nodeTokens.makeNodeToken,
  revokeNodeToken: nodeTokens.revokeNodeToken,
  revokeJoinTokens: nodeTokens.revokeJoinTokens,
  rotateNodeKey: nodeTokens.rotateNodeKey,
  getAudit: audit.getAudit,
  getConfig: config.getConfig,
  putConfigKv: config.putConfigKv,
  putCkptConfig: config.putCkptConfig,
  getConfigHistory: config.getConfigHistory,
  getSummary: metrics.getSummary,
  listMetrics,
  putMetric: metrics.putMetric,
  getSeries: metrics.getSeries,
  postSamples: samples.postSamples,
  getLogConfig: config.getLogConfig,
  putLogConfig: config.putLogConfig,
  getNodeFile: logs.getNodeFile,
  listNodes,
  getNode: nodes.getNode,
  registerNode: nodes.registerNode,
  deregisterNode: nodes.deregisterNode,
  postHeartbeat: heartbeats.postHeartbeat,
  postHeartbeats: heartbeats.postHeartbeats,
  listNodeFiles: logs.listNodeFiles,
  appendNodeFile: logs.appendNodeFile,
  listJobs,
  postJobs: jobs.postJobs,
  getJob: jobs.getJob,
  getJobBundle,
  postJobEvents: jobs.postJobEvents,
  getEvents: events.getEvents,
  getOpenApi: health.getOpenApi,
  livez: health.livez,
  readyz: health.readyz,
  getMetricsText: health.getMetricsText,
  getServerLog: logs.getServerLog,
  claimJob,
  interruptNode: notices.interruptNode,
  drainNode: notices.drainNode,
  undrainNode: notices.undrainNode,
  listQueues,
};
