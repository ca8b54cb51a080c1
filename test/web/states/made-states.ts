/**
 * Every page in every state, made from outside on a real server: answers that never come, that fail or that refuse, a server
 * without data, and one that is gone.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page, Request, Route } from 'playwright-core';
import { Api, until } from '../../support/api.ts';
import { ServerProcess } from '../../support/server-process.ts';
import { readPage } from './reading.ts';

const KEPT = join('test', 'web', 'states', 'kept');
export const THEMES = ['light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
export const STATES = ['empty', 'loading', 'partial', 'error', 'denied', 'full', 'stale', 'offline'] as const;
export type State = (typeof STATES)[number];

/** Name → address. */
export const PAGES: Readonly<Record<string, string>> = {
  overview: '/?range=24h',
  jobs: '/jobs?sort=id',
  job: '/job?id=job-1',
  queue: '/queue?name=night&range=24h',
  reclaims: '/reclaims?range=24h',
  nodes: '/nodes',
  node: '/node?id=node-1',
  metrics: '/explore?series=system-total/metricDef-checkpointSuccess&range=24h',
  logs: '/logs?q=no-such-line',
  health: '/health',
  settings: '/settings?tab=ckpt',
  tokens: '/settings?tab=tokens',
  webhooks: '/settings?tab=webhooks',
  history: '/settings?tab=history',
};

/** Those of `states.test.ts`, against which faults are planted: the others take longer than a planted fault may. */
export const COMPARED_FIRST: readonly string[] = ['overview', 'jobs', 'node'];

/** As high as the longest page, so that nothing is below the window. */
const WINDOW = { width: 1440, height: 4_000 };
/** For a page to be as it was kept: far more than it needs, on a machine that does other things. */
const SETTLE_MS = 20_000;
const POLL_MS = 100;
/** Where there is nothing to compare with, a page has settled when it is the same for so long. */
const STILL_MS = 900;
/** The other theme is the same at once, or not at all. */
const THEME_MS = 1_500;

export interface Seen {
  readonly page: string;
  readonly state: State;
  readonly theme: Theme;
  readonly text: string;
  /** Undefined where the state was never kept. */
  readonly kept: string | undefined;
}

export interface SeeOptions {
  /** Names of `PAGES`. */
  readonly pages: readonly string[];
  /** Whether what is seen is to be kept: then nothing is compared. */
  readonly isUpdate?: boolean;
  /** Called for each, while the page is still in that state. */
  readonly onSeen?: (seen: Seen, page: Page) => Promise<void>;
}

/** Goes through every state of the pages, in both themes. */
export async function seeStates(browser: Browser, options: SeeOptions): Promise<Seen[]> {
  const all: Seen[] = [];
  const kept = new Map(options.pages.map((name) => [name, options.isUpdate ? new Map() : readKept(name)]));
  const see = async (page: Page, state: State): Promise<void> => {
    for (const name of options.pages) {
      await go(page, PAGES[name] as string);
      const wanted = kept.get(name)?.get(state);
      let inLight: string | undefined;
      for (const theme of THEMES) {
        await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
        const deadlineMs = inLight === undefined ? SETTLE_MS : THEME_MS;
        const text = await settled(page, {
          withFrame: name === 'overview',
          state,
          wanted: wanted ?? inLight,
          deadlineMs,
        });
        inLight = text;
        // What a page that is left has not been answered is not there once the server is away.
        if (state === 'full') await answered(page);
        const seen = { page: name, state, theme, text, kept: wanted };
        all.push(seen);
        await options.onSeen?.(seen, page);
      }
    }
  };
  const server = await ServerProcess.start();
  const api = new Api(server.address);
  try {
    await inTab(browser, server.address, 'empty', (page) => see(page, 'empty'));
    await fill(api);
    for (const state of ['loading', 'partial', 'error', 'denied'] as const)
      await inTab(browser, server.address, state, (page) => see(page, state));
    await inTab(browser, server.address, 'full', async (reader) => {
      await see(reader, 'full');
      await inTab(browser, server.address, 'offline', async (waiting) => {
        await fetchedAhead(waiting);
        await server.kill('SIGTERM');
        for (const page of [reader, waiting]) await page.getByText('Offline').first().waitFor();
        await see(reader, 'stale');
        await see(waiting, 'offline');
      });
    });
  } finally {
    api.close();
    await server.dispose();
  }
  return all;
}

async function inTab(
  browser: Browser,
  address: string,
  state: State,
  run: (page: Page) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ viewport: WINDOW, timezoneId: 'UTC', locale: 'en' });
  try {
    context.setDefaultTimeout(SETTLE_MS);
    const page = await context.newPage();
    // A page that asks for nothing: what is asked for on the first page would be answered before the state begins.
    await page.goto(`${address}/components`);
    await page.getByRole('heading', { level: 1, name: 'Components' }).waitFor();
    await page.getByText('Live', { exact: true }).waitFor();
    const open = new Set<Request>();
    asked.set(page, open);
    page.on('request', (request) => ANSWERED.test(request.url()) && open.add(request));
    page.on('requestfinished', (request) => open.delete(request));
    page.on('requestfailed', (request) => open.delete(request));
    await page.route(/\/(api\/v1\/|nodes\/.|metrics$|readyz$)|\.log\b/, (route) => answer(route, state));
    await run(page);
  } finally {
    await context.close();
  }
}

/** What the API has not answered yet; streams never end. */
const asked = new WeakMap<Page, ReadonlySet<Request>>();
const ANSWERED = /\/api\/v1\/(?!events)/;

async function answered(page: Page): Promise<void> {
  const untilMs = Date.now() + SETTLE_MS;
  while ((asked.get(page)?.size ?? 0) > 0 && Date.now() < untilMs) await page.waitForTimeout(POLL_MS);
}

/** Not by the browser: it would ask the server for the document, and forget what it has. */
async function go(page: Page, path: string): Promise<void> {
  await page.evaluate(
    `history.pushState({}, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`,
  );
}

async function answer(route: Route, state: State): Promise<void> {
  const { pathname } = new URL(route.request().url());
  // The connection is live, and what the provider is has been asked for already.
  if (/\/(event|idp)$/.test(pathname)) return route.continue();
  // A refusal that is not asked for again: a failure would be, for some seconds.
  const failed = { errorCode: 5000, message: 'The disk is full: free some space, then try again' };
  switch (state) {
    case 'loading':
      // Never.
      return undefined;
    case 'denied':
      return route.fulfill({ status: 403, json: { errorCode: 2003, message: 'User is not privileged' } });
    case 'error':
      return route.fulfill({ status: 409, json: failed });
    case 'partial':
      return /summary|metricValue|explain|doctor|count|files|\.log$/.test(pathname)
        ? route.fulfill({ status: 409, json: failed })
        : route.continue();
    default:
      // What the server finds in itself depends on the machine.
      return pathname.endsWith('/doctor')
        ? route.fulfill({ json: { findings: FINDINGS[state] ?? [], checks: CHECKS } })
        : route.continue();
  }
}

const CHECKS = [
  { id: 'disk', value: '312.0 GiB free (78 %)' },
  { id: 'backup-age', value: 'last backup 9 d ago' },
];

const FINDINGS: { readonly [state in State]?: readonly object[] } = {
  full: [
    {
      id: 'backup-age',
      severity: 'warning',
      what: 'The last backup is 9 days old.',
      remedy: 'Run cairn backup.',
    },
  ],
};

/** Pages are fetched ahead a moment after the first one. */
async function fetchedAhead(page: Page): Promise<void> {
  const names = ['jobs-page', 'job-page', 'queue-page', 'reclaims-page', 'nodes-page', 'node-page', 'explore-page'];
  const wanted = [...names, 'logs-page', 'health-page', 'settings-page'];
  const loaded = `performance.getEntriesByType('resource').map(({ name }) => name)`;
  const untilMs = Date.now() + SETTLE_MS;
  for (;;) {
    const files = (await page.evaluate(loaded)) as string[];
    const missing = wanted.filter((name) => !files.some((file) => file.includes(`/${name}`)));
    if (missing.length === 0) return;
    if (Date.now() > untilMs) throw new Error(`waited ${SETTLE_MS} ms for the files of ${missing.join(', ')}`);
    await page.waitForTimeout(POLL_MS);
  }
}

/** What the page shows once it is as it was kept; else what it shows in the end. */
async function settled(
  page: Page,
  {
    withFrame,
    state,
    wanted,
    deadlineMs,
  }: { withFrame: boolean; state: State; wanted: string | undefined; deadlineMs: number },
): Promise<string> {
  const untilMs = Date.now() + deadlineMs;
  let text = '';
  let sinceMs = Date.now();
  for (;;) {
    const now = await readPage(page, withFrame);
    if (now === wanted) return now;
    if (now !== text) sinceMs = Date.now();
    text = now;
    const isAsking = state !== 'loading' && /Loading |Checking |"…"/.test(text);
    const isStill = Date.now() - sinceMs >= STILL_MS && !isAsking;
    if (Date.now() > untilMs || (wanted === undefined && isStill)) return text;
    await page.waitForTimeout(POLL_MS);
  }
}

/**
 * The same jobs and nodes each time, as long before the last full hour: so a scale has as many ticks. One after the other: the
 * list of changes is in their order.
 */
async function fill(api: Api): Promise<void> {
  const hourMs = 3_600_000;
  const nowMs = Math.floor(Date.now() / hourMs) * hourMs;
  const at = (hoursAgo: number): string => new Date(nowMs - hoursAgo * hourMs).toISOString();
  // Nobody beats: nodes must not become late meanwhile.
  await sent(api.configKv({ 'ckpt.ckptMode': 'iterative', 'node.heartbeat': '4h', 'node.ttl': '24h' }));
  for (let i = 0; i < 3; i++) {
    const instance = { instanceId: `i-${i}`, instanceType: 'm5.large', zone: `zone-${i % 2}`, payType: 'Spot' };
    const prices = { pricePerHour: 0.4, onDemandPricePerHour: 1 };
    const facts = { cores: 8, memoryInMB: 32_768, hostName: `host-${i}`, ips: [`10.0.0.${i}`] };
    await sent(api.put(`/api/v1/node/node-${i}`, { ...facts, instance: { ...instance, ...prices } }));
  }
  const ends = ['Succeeded', 'Failed', undefined, undefined];
  for (let i = 0; i < 6; i++) {
    const event = (type: string, hoursAgo: number, more = {}): object => ({
      ...{ eventType: `Job-${type}`, timestamp: at(hoursAgo) },
      ...more,
    });
    const end = ends[i % ends.length];
    const begun = 8 - i;
    const events = [
      event('Creating', begun + 0.1, { nodeOid: `i-${i % 3}`, containerId: 'c', batchJobId: `b-${i}` }),
      event('Running', begun),
      event('Checkpointing', begun - 0.7),
      // The last one is being saved for hours.
      ...(i === 3 ? [] : [event(i === 2 ? 'CheckpointFailed' : 'CheckpointSucceeded', begun - 0.75)]),
      ...(end ? [event(end, 1.5 + i / 10, end === 'Failed' ? { detail: 'exit 3' } : {})] : []),
    ];
    await sent(api.post('/api/v1/job', { id: `job-${i}`, queueName: i % 3 ? 'day' : 'night', events }));
  }
  const lines = `${at(1.6)} INFO step 4 of 9\n${at(1.6)} ERROR no space left on /scratch\n`;
  await sent(api.post('/api/v1/nodes/node-1/files/jobs/job-1/stderr.log?offset=0', lines));
  // Of an event that never comes, so that nothing is sent.
  const webhook = { url: 'https://hooks.example.com/cairn', types: ['node.lost'], format: 'cairn' };
  await sent(api.put('/api/v1/webhook/on-call', webhook));
  // The server calculates it now and then.
  await until(
    async () => (await api.get('/metrics')).text,
    (text) => /^cairn_oldest_checkpoint_seconds(\{.*\})? [1-9]/m.test(text),
    'the age of the oldest checkpoint in /metrics',
  );
}

async function sent(answered: ReturnType<Api['put']>): Promise<void> {
  const { status, text } = await answered;
  if (status !== 200) throw new Error(`the data of the states were answered ${status}: ${text}`);
}

/** State → text; nothing of a page that was never kept. */
function readKept(page: string): Map<string, string> {
  const path = join(KEPT, `${page}.txt`);
  if (!existsSync(path)) return new Map();
  const text = readFileSync(path, 'utf8');
  const parts = text.split(/^## (.*)\n\n/m).slice(1);
  return new Map(STATES.flatMap((state) => partOf(parts, state)));
}

function partOf(parts: readonly string[], state: State): [string, string][] {
  const at = parts.indexOf(state);
  return at === -1 ? [] : [[state, (parts[at + 1] ?? '').trimEnd()]];
}

/** Keeps what was seen in the light. What is other in the dark is found by the next comparison. */
export function keepStates(all: readonly Seen[]): void {
  for (const name of new Set(all.map(({ page }) => page))) {
    const ofPage = all.filter(({ page, theme }) => page === name && theme === 'light');
    const text = ofPage.map(({ state, text }) => `## ${state}\n\n${text}\n`).join('\n');
    writeFileSync(join(KEPT, `${name}.txt`), text);
  }
}

/** Lines that differ, in words; empty where what is seen is what was kept. */
export function differenceOf({ page, state, theme, text, kept }: Seen): string {
  if (kept === undefined) return `${page} ${state} was never kept: npm run states -- --update`;
  if (text === kept) return '';
  const [now, then] = [text.split('\n'), kept.split('\n')];
  const more = now.filter((line) => !then.includes(line)).map((line) => `  + ${line}`);
  const less = then.filter((line) => !now.includes(line)).map((line) => `  - ${line}`);
  return [
    `${page} ${state} ${theme}:`,
    ...less,
    ...more,
    ...(more.length + less.length === 0 ? [orderOf(now, then)] : []),
  ].join('\n');
}

/** Where two texts of the same lines part. */
function orderOf(now: readonly string[], then: readonly string[]): string {
  const at = now.findIndex((line, i) => line !== then[i]);
  return `  another order: from line ${at + 1}, ${now[at] ?? 'nothing'} stands in the place of ${then[at] ?? 'nothing'}`;
}
