/**
 * Addresses of the dashboard. Ids stand in the query, never in the path: an id may hold dots, and the server takes a path with
 * an extension for a file. `/metrics` and `/nodes/…` are the server's own, so the pages are `/explore` and `/node`.
 */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { OverviewPage } from '../pages/overview/overview-page.tsx';
import { isRangeName, type RangeName } from '../parts/range.ts';
import { Empty, Failure, Loading } from '../parts/states.tsx';
import { Shell } from './shell.tsx';

type Search = Record<string, unknown>;

/** A text of the query; absent where it is empty. Numbers and booleans are texts too: the router has parsed them. */
function texts<K extends string>(search: Search, ...names: K[]): { [name in K]?: string } {
  const found: { [name in K]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (value !== undefined && value !== null && value !== '' && typeof value !== 'object') found[name] = String(value);
  }
  return found;
}

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: () => <Empty title="There is no such page" />,
  errorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  pendingComponent: () => <Loading what="the page" />,
});

export const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: (search: Search): { range?: RangeName } =>
    isRangeName(search['range']) ? { range: search['range'] } : {},
  component: OverviewPage,
});

export const jobsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs',
  validateSearch: (search: Search) => texts(search, 'q', 'queue', 'phase', 'status', 'node', 'sort'),
  component: lazyRouteComponent(() => import('../pages/jobs/jobs-page.tsx'), 'JobsPage'),
});

export const jobRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/job',
  validateSearch: (search: Search): { id: string } => ({ id: texts(search, 'id').id ?? '' }),
  component: lazyRouteComponent(() => import('../pages/jobs/job-page.tsx'), 'JobPage'),
});

export const nodesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/nodes',
  validateSearch: (search: Search) => texts(search, 'q', 'state', 'sort'),
  component: lazyRouteComponent(() => import('../pages/nodes/nodes-page.tsx'), 'NodesPage'),
});

export const nodeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/node',
  validateSearch: (search: Search): { id: string; file?: string } => ({
    ...texts(search, 'file'),
    id: texts(search, 'id').id ?? '',
  }),
  component: lazyRouteComponent(() => import('../pages/nodes/node-page.tsx'), 'NodePage'),
});

export const exploreRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/explore',
  validateSearch: (search: Search) => texts(search, 'series', 'range', 'start', 'end', 'interval', 'agg'),
  component: lazyRouteComponent(() => import('../pages/metrics/explore-page.tsx'), 'ExplorePage'),
});

export const logsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/logs',
  validateSearch: (search: Search) => texts(search, 'log', 'q'),
  component: lazyRouteComponent(() => import('../pages/logs/logs-page.tsx'), 'LogsPage'),
});

export const healthRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/health',
  component: lazyRouteComponent(() => import('../pages/health/health-page.tsx'), 'HealthPage'),
});

export const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  validateSearch: (search: Search) => texts(search, 'tab'),
  component: lazyRouteComponent(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
});

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-in',
  component: lazyRouteComponent(() => import('../pages/sign-in/provider-sign-in.tsx'), 'SignedInPage'),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    overviewRoute,
    jobsRoute,
    jobRoute,
    nodesRoute,
    nodeRoute,
    exploreRoute,
    logsRoute,
    healthRoute,
    settingsRoute,
    signedInRoute,
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
