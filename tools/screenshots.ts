/**
 * Makes the pictures of the documents again: a real server, a simulated fleet that has run for most of a day, and the
 * dashboard's overview in Chromium, light and dark.
 */
import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { Api, until } from '../test/support/api.ts';
import { ServerProcess } from '../test/support/server-process.ts';
import { startBrowser, Tab } from '../test/web/browser.ts';
import { playFleet } from '../test/web/played-fleet.ts';
import { givenLine } from './command-line.ts';

const FOLDER = join('docs', 'images');
/** A repository keeps every version of a picture. */
const BYTES_MAX = 300 * 1024;
/** Twenty hours in twenty seconds, so that the charts of a day have something on them. */
const FLEET = { nodes: 60, jobs: 900, duration: '20s' };
const LOOKS = { light: 'wide-light', dark: 'wide-dark' } as const;

async function shoot(browser: Browser, address: string, name: keyof typeof LOOKS): Promise<void> {
  // Nodes do not send each of the built-in figures: their charts ask, and are told 404.
  const tab = await Tab.open(browser, address, { look: LOOKS[name], isExpected: (fault) => /metricValue/.test(fault) });
  await tab.go('/?range=24h', 'Overview');
  await tab.sees('Unsaved work');
  await tab.page.locator('canvas').first().waitFor();
  await tab.page.locator('.spinner').first().waitFor({ state: 'detached' });
  // Figures that are still asked for stand as an ellipsis; the charts of what has come are drawn a moment later.
  await until(
    () => tab.page.evaluate("document.querySelector('main').innerText.includes('…')"),
    (isAsking) => !isAsking,
    'the figures',
  );
  await tab.page.waitForTimeout(2_000);
  const path = join(FOLDER, `overview-${name}.png`);
  await tab.page.screenshot({ path, animations: 'disabled' });
  await tab.close();
  const { size } = statSync(path);
  process.stdout.write(`${path}: ${size} bytes\n`);
  if (size > BYTES_MAX) throw new Error(`${path} has ${size} bytes; want at most ${BYTES_MAX}`);
}

givenLine({ usage: `npm run screenshots\n\nMakes the pictures of the documents again, in ${FOLDER}.\n` });
mkdirSync(FOLDER, { recursive: true });
const browser = await startBrowser();
const server = await ServerProcess.start();
const api = new Api(server.address);
try {
  // Without it the page begins with the first steps of a new server.
  await api.configKv({ 'ckpt.ckptMode': 'iterative' });
  await playFleet(server.address, 'fleet', FLEET);
  for (const name of ['light', 'dark'] as const) await shoot(browser, server.address, name);
} finally {
  api.close();
  await browser.close();
  await server.dispose();
}
