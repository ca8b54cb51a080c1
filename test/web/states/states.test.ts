/** Three pages in every state and both themes are as they were kept. `other-pages.test.ts` compares the others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { withBrowser } from '../browser.ts';
import { COMPARED_FIRST, differenceOf, seeStates } from './made-states.ts';

let browser: Browser;

withBrowser((started) => {
  browser = started;
});

test('loading, empty, partial, failed, refused, stale and offline: the pages show what was kept, in light and dark', async () => {
  const seen = await seeStates(browser, { pages: COMPARED_FIRST });
  assert.deepEqual(
    seen.map(differenceOf).filter((text) => text !== ''),
    [],
    'if the change is meant, look at it and keep it: npm run states -- --update',
  );
});
