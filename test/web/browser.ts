/**
 * Debian's Chromium, driven by playwright-core: pages of a dashboard that a real server serves. Every request that leaves the
 * server's origin, every script error and every violation of the page's policy is kept, and fails the test that closes the page.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, afterEach, before } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { type Browser, type BrowserContext, chromium, type Page, type Route } from 'playwright-core';
import { until } from '../support/api.ts';

const EXECUTABLES = [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'];
const SHOTS = 'test-output/web';
/** What a page may take until it shows what a test waits for: far more than it needs, on a machine that does other things. */
const WAIT_MS = 30_000;
/** What of a page is printed when its test fails. */
const TOLD_CHARS = 2_000;
/** A page whose script does not end answers nothing. */
const TOLD_MS = 5_000;

export type Look = 'wide-light' | 'wide-dark' | 'narrow-light' | 'narrow-dark';

export const LOOKS: readonly Look[] = ['wide-light', 'wide-dark', 'narrow-light', 'narrow-dark'];

/**
 * However slow this machine is, the overview waits for its answers (`WAIT_MS` of use-attention.ts) and is drawn with them:
 * for `page.addInitScript`.
 */
export const PATIENT =
  'const plain = window.setTimeout; window.setTimeout = (run, ms, ...more) => plain(run, ms === 700 ? 60_000 : ms, ...more);';

/** What a server says of itself changes with the load of the machine, and each of it is a row of the overview: left out. */
export async function quietly(route: Route): Promise<void> {
  const response = await route.fetch();
  const told = (await response.json()) as object;
  const own = ['findings', 'reasons'].filter((name) => name in told);
  const json = own.length === 0 ? told : { ...told, ...Object.fromEntries(own.map((name) => [name, []])) };
  await route.fulfill({ response, json });
}

/** The browser that the tests of a file share: started before the first of them, closed after the last. */
export function withBrowser(onReady: (browser: Browser) => void): void {
  let browser: Browser | undefined;
  before(async () => {
    browser = await startBrowser();
    onReady(browser);
  });
  // Only a test that failed leaves a tab open.
  afterEach(async () => {
    for (const tab of open) process.stderr.write(`${await tab.told()}\n`);
    open.clear();
  });
  after(() => browser?.close());
}

const open = new Set<Tab>();

export async function startBrowser(): Promise<Browser> {
  const executablePath = EXECUTABLES.find((path) => path !== '' && existsSync(path));
  assert.ok(
    executablePath,
    'the layer web needs Chromium: apt-get install --no-install-recommends chromium, or CHROMIUM=/path/to/chromium',
  );
  const flags = [
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
  ];
  return chromium.launch({
    executablePath,
    headless: true,
    args: [...flags, '--disable-component-update', '--disable-sync', '--disable-dev-shm-usage'],
  });
}

interface TabOptions {
  readonly look?: Look;
  readonly isExpected?: (text: string) => boolean;
  /** Of the reader, e.g. `Asia/Kolkata`; the machine's by default. */
  readonly timeZone?: string;
}

/** One tab with storage of its own, on one server. */
export class Tab {
  readonly page: Page;
  readonly #context: BrowserContext;
  readonly #base: string;
  readonly #faults: string[] = [];
  /** Requests without an answer; the stream of events has none. */
  readonly #asked = new Set<unknown>();
  /** Answers of 4xx and 5xx that a test provokes are no faults. */
  readonly #isExpected: (text: string) => boolean;

  private constructor(context: BrowserContext, page: Page, base: string, isExpected: (text: string) => boolean) {
    this.#context = context;
    this.page = page;
    this.#base = base;
    this.#isExpected = isExpected;
    page.on('pageerror', ({ message }) => this.#faults.push(`script: ${message}`));
    page.on('console', (message) => {
      if (message.type() === 'error') this.#faults.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on('request', (request) => {
      if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== base)
        this.#faults.push(`another origin: ${request.url()}`);
      if (!new URL(request.url()).pathname.endsWith('/event')) this.#asked.add(request);
    });
    for (const end of ['requestfinished', 'requestfailed'] as const)
      page.on(end as 'requestfinished', (request) => this.#asked.delete(request));
  }

  static async open(
    browser: Browser,
    base: string,
    { look = 'wide-light', isExpected = () => false, timeZone }: TabOptions = {},
  ): Promise<Tab> {
    const context = await browser.newContext({
      viewport: look.startsWith('wide') ? { width: 1440, height: 900 } : { width: 360, height: 780 },
      colorScheme: look.endsWith('dark') ? 'dark' : 'light',
      acceptDownloads: true,
      ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
    });
    context.setDefaultTimeout(WAIT_MS);
    const tab = new Tab(context, await context.newPage(), base, isExpected);
    open.add(tab);
    return tab;
  }

  /** Another page in the same browser profile; its faults are not kept. */
  another(): Promise<Page> {
    return this.#context.newPage();
  }

  async go(path: string, heading: string | RegExp): Promise<void> {
    await this.page.goto(this.#base + path);
    await this.arrives(heading);
  }

  /** Waits until the page of that name is there: until then, what is clicked may be the page before's. */
  async arrives(heading: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: heading }).waitFor();
  }

  /** Waits until nothing is on its way: of a server that goes, it would never come. */
  async answered(): Promise<void> {
    await until(
      async () => this.#asked.size,
      (count) => count === 0,
      'all answers',
    );
  }

  /** Waits until a text stands anywhere on the page. */
  async sees(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).first().waitFor();
  }

  /** Opens the palette and types into it. */
  async search(text: string): Promise<void> {
    const palette = this.page.getByRole('dialog', { name: 'Search everything' });
    // One that is about to close takes the keys.
    await palette.waitFor({ state: 'detached' });
    await this.page.keyboard.press('Control+k');
    await palette.locator('input:focus').waitFor();
    await this.page.keyboard.type(text);
  }

  /** Opens the list of that name and takes one of it. */
  async choose(label: string, option: string): Promise<void> {
    await this.page.getByRole('combobox', { name: label, exact: true }).click();
    await this.page.getByRole('option', { name: option, exact: true }).click();
  }

  /** From the sign-in page to the pages of `OidcIssuer` and back. */
  async signInAtProvider(userName: string): Promise<void> {
    await this.page.getByRole('button', { name: 'Sign in' }).click();
    await this.page.locator('input[name=login]').fill(userName);
    await this.page.locator('input[name=password]').fill('whatever');
    await this.page.locator('button[type=submit]').click();
    await this.page.getByRole('button', { name: 'Continue' }).click();
  }

  async shoot(name: string): Promise<void> {
    mkdirSync(SHOTS, { recursive: true });
    await this.page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
  }

  /** Violations of WCAG 2.2 A and AA, as `rule: selector`. */
  async violations(): Promise<string[]> {
    const source = await readFile('node_modules/axe-core/axe.min.js', 'utf8');
    // In the page's own world the policy forbids to add a script; an evaluation is not subject to it.
    await this.page.evaluate(source);
    const found = (await this.page.evaluate(
      `axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'] }).then(({ violations }) =>
         violations.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => id + ': ' + target + ' ' + failureSummary)))`,
    )) as string[];
    return found;
  }

  /** Pixels by which the page is wider than its window. */
  overflow(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - window.innerWidth') as Promise<number>;
  }

  /** What stands on the page and what went wrong until now, for a reader who has only the log; closes the page. */
  async told(): Promise<string> {
    const text = this.page.evaluate('document.body.innerText') as Promise<string>;
    const silence = setTimeout(TOLD_MS, '(the page does not answer)', { ref: false });
    const told = await Promise.race([text.catch(String), silence]);
    const lines = [`left open at ${this.page.url()}`, ...this.#faults, told.slice(0, TOLD_CHARS)];
    await this.#context.close();
    return lines.join('\n');
  }

  /** Ends the tab; throws where something went wrong on the way. */
  async close(): Promise<void> {
    open.delete(this);
    await this.#context.close();
    assert.deepEqual(
      this.#faults.filter((fault) => !this.#isExpected(fault)),
      [],
    );
  }
}
