/** Which handler answers which route. The compiler holds this to the routing table. */

import type { RouteName } from './api/routes.ts';
import * as audit from './handlers/audit.ts';
import * as config from './handlers/config.ts';
import { getDoctor } from './handlers/doctor.ts';
import * as events from './handlers/events.ts';
import type { Handler } from './handlers/handler.ts';
import * as health from './handlers/health.ts';
import * as heartbeats from './handlers/heartbeats.ts';
import * as idp from './handlers/idp.ts';
import * as install from './handlers/install.ts';
import { checkpointJob, getCheckpointOrder } from './handlers/jobs/checkpoint-order.ts';
import { claimJob } from './handlers/jobs/claims.ts';
import * as explain from './handlers/jobs/explain.ts';
import { getJobBundle } from './handlers/jobs/job-bundle.ts';
import { countJobs, listJobs } from './handlers/jobs/job-list.ts';
import { getJobOutput } from './handlers/jobs/job-output.ts';
import * as jobs from './handlers/jobs/jobs.ts';
import { listQueues } from './handlers/jobs/queues.ts';
import { listReclaims } from './handlers/jobs/reclaims.ts';
import * as logs from './handlers/logs.ts';
import { listMetrics } from './handlers/metric-list.ts';
import * as metrics from './handlers/metrics.ts';
import { listNodes } from './handlers/node-list.ts';
import * as notices from './handlers/node-notices.ts';
import * as nodeTokens from './handlers/node-tokens.ts';
import * as nodes from './handlers/nodes.ts';
import * as samples from './handlers/samples/samples.ts';
import * as serviceTokens from './handlers/service-tokens.ts';
import * as webhooks from './handlers/webhooks.ts';

export const HANDLERS: Readonly<Record<RouteName, Handler>> = {
  getIdp: idp.getIdp,
  enableIdp: idp.enableIdp,
  disableIdp: idp.disableIdp,
  makeNodeToken: nodeTokens.makeNodeToken,
  revokeNodeToken: nodeTokens.revokeNodeToken,
  revokeJoinTokens: nodeTokens.revokeJoinTokens,
  rotateNodeKey: nodeTokens.rotateNodeKey,
  makeServiceToken: serviceTokens.makeServiceToken,
  listServiceTokens: serviceTokens.listServiceTokens,
  revokeServiceToken: serviceTokens.revokeServiceToken,
  getMe: serviceTokens.getMe,
  listWebhooks: webhooks.listWebhooks,
  getWebhook: webhooks.getWebhook,
  putWebhook: webhooks.putWebhook,
  removeWebhook: webhooks.removeWebhook,
  testWebhook: webhooks.testWebhook,
  replayWebhook: webhooks.replayWebhook,
  getAudit: audit.getAudit,
  getDoctor,
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
  countJobs,
  postJobs: jobs.postJobs,
  getJob: jobs.getJob,
  getJobBundle,
  getJobOutput,
  postJobEvents: jobs.postJobEvents,
  checkpointJob,
  getCheckpointOrder,
  explainJob: explain.explainJob,
  explainNode: explain.explainNode,
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
  listReclaims,
  getInstallScript: install.getInstallScript,
  getAgentPackage: install.getAgentPackage,
};
