/** Where the dashboard begins: one query cache, one event feed, one router. */
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/strip.css';
import './styles/states.css';
import './styles/controls.css';
import './styles/pages.css';
import './styles/onboarding.css';
import './styles/print.css';
import { eventFeed } from './api/event-feed.ts';
import { keepFresh } from './api/freshness.ts';
import { pauseWhileAway } from './api/reachability.ts';
import { startRenewal } from './api/renewal.ts';
import { ApiError } from './api/request.ts';
import { shareWithTabs } from './api/tab-sharing.ts';
import { needsSignIn, onTokenChange } from './api/token.ts';
import { router } from './app/router.tsx';
import { fetchPagesAhead } from './chunks/fetch-ahead.ts';
import { askOverviewAhead } from './pages/overview/ask-ahead.ts';
import { applyDensity } from './preferences/preferences.ts';
import { noteOpened, recents } from './preferences/recents.ts';

const RETRIES = 2;
/** Milliseconds that the first page has for itself. */
const FETCH_AHEAD_AFTER_MS = 1_000;

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // What the server refused it will refuse again; a broken connection may heal.
      retry: (failures, error) =>
        failures < RETRIES && !(error instanceof ApiError && error.status >= 400 && error.status < 500),
      refetchOnWindowFocus: true,
    },
    // A change that waits for the server would be made at a time that nobody chose.
    mutations: { networkMode: 'always' },
  },
});

onTokenChange((isRenewal) => {
  // Another user may see other things; nothing of the one before stays.
  if (isRenewal || needsSignIn()) return;
  void client.resetQueries();
  recents.choose([]);
});
applyDensity();
if (window.location.pathname === '/') askOverviewAhead(client);
startRenewal();
shareWithTabs();
keepFresh(client, eventFeed);
pauseWhileAway(client, eventFeed);
eventFeed.start();
router.subscribe('onResolved', ({ toLocation: { pathname, search } }) => noteOpened(pathname, search));

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      {/* The page's policy forbids style elements; the style sheets have what those would say. */}
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={client}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </StrictMode>,
  );
window.addEventListener('load', () => window.setTimeout(() => void fetchPagesAhead(), FETCH_AHEAD_AFTER_MS));
