/** Every page of a dashboard with something on it: it shows what it is for, a screen reader can read it, and it is no wider than the window. */
import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import type { Browser } from 'playwright-core';
import { Api } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';
import { LOOKS, startBrowser, Tab } from './browser.ts';
import { playFleet } from './played-fleet.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;
let job: string;
let node: string;

before(async () => {
  browser = await startBrowser();
  server = await ServerProcess.start();
  api = new Api(server.address);
  await playFleet(server.address, 'web');
  const jobs = (await api.get('/api/v1/job')).json as { id: string; spotProtCount: number }[];
  job = jobs.toSorted((a, b) => b.spotProtCount - a.spotProtCount)[0]?.id as string;
  node = ((await api.get('/api/v1/node?limit=1')).json as { id: string }[])[0]?.id as string;
});

after(async () => {
  api?.close();
  await browser?.close();
  await server?.dispose();
});

/** Name, address, heading, and a text that only stands there when the answers are there. */
const pages = (): [string, string, string, string | RegExp][] => [
  ['overview', '/?range=7d', 'Overview', 'Saved in the last 7 days'],
  ['jobs', '/jobs', 'Jobs', 'scroll for more'],
  ['job', `/job?id=${job}`, `Job ${job}`, 'Timeline'],
  ['queue', '/queue?name=web.batch&range=7d', 'Queue web.batch', 'Core-hours'],
  ['reclaims', '/reclaims', 'Spot reclaims', 'Where nodes were reclaimed'],
  ['nodes', '/nodes', 'Nodes', /\d+ nodes/],
  ['node', `/node?id=${node}`, `Node ${node}`, 'Processor'],
  ['explore', '/explore?series=system-total/metricDef-checkpointSuccess&range=7d', 'Metrics', /in steps of/],
  ['logs', '/logs', 'Logs', /lines · following/],
  ['settings', '/settings', 'Settings', 'ckpt.ckptInterval'],
  // What it finds depends on the machine.
  ['health', '/health', 'Health', /\d+ (other )?checks? pass/],
  ['access', '/logs?log=access', 'Logs', /lines · following/],
  ['history', '/settings?tab=history', 'Settings', 'No changes yet'],
  ['identity', '/settings?tab=identity', 'Settings', 'User pool'],
  ['components', '/components', 'Components', 'What to do about it.'],
  ['about', '/settings?tab=about', 'Settings', 'Apache License 2.0'],
  ['tokens', '/settings?tab=tokens', 'Settings', 'Make a join token'],
];

/** The server's client, for what a file asks beside. */
export const theApi = (): Api => api;

/** Goes through every page in one look each, so that any four turns from 0 on are every page in every look. */
export async function seePages(turn: number): Promise<void> {
  for (const [place, look] of LOOKS.entries()) {
    // Nodes do not send each of the built-in figures: their charts ask, and are told 404.
    const tab = await Tab.open(browser, server.address, { look });
    for (const [name, path, heading, text] of pages().filter((_, i) => (i + turn) % LOOKS.length === place)) {
      await tab.go(path, heading);
      await tab.sees(text);
      await tab.shoot(`${name}-${look}`);
      assert.deepEqual(await tab.violations(), [], name);
      assert.ok((await tab.overflow()) <= 0, `${name} is wider than the window`);
    }
    await tab.close();
  }
}
