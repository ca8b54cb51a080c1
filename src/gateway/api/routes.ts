/** Every route of the API. Order is that of interface.md, then the contract's. */

import { AGENT_ROUTES } from './routes/agents.ts';
import { CONFIG_ROUTES } from './routes/config.ts';
import { INSTALL_ROUTES } from './routes/install.ts';
import { JOBS_ROUTES } from './routes/jobs.ts';
import { LOGS_ROUTES } from './routes/logs.ts';
import { METRICS_ROUTES } from './routes/metrics.ts';
import { NODES_ROUTES } from './routes/nodes.ts';
import { SECURITY_ROUTES } from './routes/security.ts';
import { SERVER_ROUTES } from './routes/server.ts';
import { WEBHOOKS_ROUTES } from './routes/webhooks.ts';

export const ROUTES = [
  ...SECURITY_ROUTES,
  ...CONFIG_ROUTES,
  ...METRICS_ROUTES,
  ...LOGS_ROUTES,
  ...NODES_ROUTES,
  ...JOBS_ROUTES,
  ...SERVER_ROUTES,
  ...WEBHOOKS_ROUTES,
  ...AGENT_ROUTES,
  ...INSTALL_ROUTES,
] as const;

export type RouteName = (typeof ROUTES)[number]['name'];
