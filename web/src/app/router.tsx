/**
 * Addresses of the dashboard. Ids stand in the query, never in the path: an id may hold dots, and the server takes a path with
 * an extension for a file. `/metrics` and `/nodes/…` are the server's own, so the pages are `/explore` and `/node`.
 */
import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import type { Search } from '../address/parameters.ts';
import { withQuery } from '../api/request.ts';
import { noteMove } from '../browser/moves.ts';
import { OverviewPage } from '../pages/overview/overview-page.tsx';
import { Failure, Loading } from '../parts/states.tsx';
import { checkedBy } from './address-notice.tsx';
import { NoSuchPage } from './no-such-page.tsx';
import { pageChunk } from './page-chunk.ts';
import { PageFailure } from './page-failure.tsx';
import { Shell } from './shell.tsx';

const rootRoute = createRootRoute({
  component: Shell,
  notFoundComponent: NoSuchPage,
  errorComponent: ({ error, reset }) => <Failure error={error} retry={reset} />,
  pendingComponent: () => <Loading what="the page" />,
});

export const overviewRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  validateSearch: checkedBy('/'),
  component: OverviewPage,
});

export const jobsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/jobs',
  validateSearch: checkedBy('/jobs'),
  component: pageChunk(() => import('../pages/jobs/jobs-page.tsx'), 'JobsPage'),
});

export const jobRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/job',
  validateSearch: (search: Search) => {
    const checked = checkedBy('/job')(search);
    return { ...checked, id: checked.id ?? '' };
  },
  component: pageChunk(() => import('../pages/jobs/job-page.tsx'), 'JobPage'),
});

export const queuesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/queues',
  validateSearch: checkedBy('/queues'),
  component: pageChunk(() => import('../pages/queues/queues-page.tsx'), 'QueuesPage'),
});

export const queueRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/queue',
  validateSearch: (search: Search) => {
    const checked = checkedBy('/queue')(search);
    return { ...checked, name: checked.name ?? '' };
  },
  component: pageChunk(() => import('../pages/queues/queue-page.tsx'), 'QueuePage'),
});

export const reclaimsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reclaims',
  validateSearch: checkedBy('/reclaims'),
  component: pageChunk(() => import('../pages/nodes/reclaims-page.tsx'), 'ReclaimsPage'),
});

export const nodesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/nodes',
  validateSearch: checkedBy('/nodes'),
  component: pageChunk(() => import('../pages/nodes/nodes-page.tsx'), 'NodesPage'),
});

export const nodeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/node',
  validateSearch: (search: Search) => {
    const checked = checkedBy('/node')(search);
    return { ...checked, id: checked.id ?? '' };
  },
  component: pageChunk(() => import('../pages/nodes/node-page.tsx'), 'NodePage'),
});

export const exploreRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/explore',
  validateSearch: checkedBy('/explore'),
  component: pageChunk(() => import('../pages/metrics/explore-page.tsx'), 'ExplorePage'),
});

export const logsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/logs',
  validateSearch: checkedBy('/logs'),
  component: pageChunk(() => import('../pages/logs/logs-page.tsx'), 'LogsPage'),
});

export const healthRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/health',
  component: pageChunk(() => import('../pages/health/health-page.tsx'), 'HealthPage'),
});

export const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/settings',
  validateSearch: checkedBy('/settings'),
  component: pageChunk(() => import('../pages/settings/settings-page.tsx'), 'SettingsPage'),
});

const componentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/components',
  component: pageChunk(() => import('../pages/components/components-page.tsx'), 'ComponentsPage'),
});

const signedInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/signed-in',
  component: pageChunk(() => import('../pages/sign-in/provider-sign-in.tsx'), 'SignedInPage'),
});

export const router = createRouter({
  routeTree: rootRoute.addChildren([
    overviewRoute,
    jobsRoute,
    jobRoute,
    queuesRoute,
    queueRoute,
    reclaimsRoute,
    nodesRoute,
    nodeRoute,
    exploreRoute,
    logsRoute,
    healthRoute,
    settingsRoute,
    componentsRoute,
    signedInRoute,
  ]),
  defaultPreload: 'intent',
  // A failure of a page stays in its place: the shell around it goes on.
  defaultErrorComponent: ({ error, reset }) => <PageFailure error={error} reset={reset} />,
  // Every value is a text: an id such as 1e5 must not become a number.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => withQuery('', search as Readonly<Record<string, string | undefined>>),
  scrollRestoration: true,
});

router.history.subscribe(({ action: { type } }) => noteMove(type !== 'PUSH' && type !== 'REPLACE'));

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
