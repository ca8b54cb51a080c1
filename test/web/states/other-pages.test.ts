/** The pages that `states.test.ts` leaves out, in every state and both themes, are as they were kept. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { withBrowser } from '../browser.ts';
import { COMPARED_FIRST, differenceOf, PAGES, seeStates } from './made-states.ts';

let browser: Browser;

withBrowser((started) => {
  browser = started;
});

test('the other pages show what was kept in every state, in light and dark', async () => {
  const seen = await seeStates(browser, { pages: Object.keys(PAGES).filter((name) => !COMPARED_FIRST.includes(name)) });
  assert.deepEqual(
    seen.map(differenceOf).filter((text) => text !== ''),
    [],
    'if the change is meant, look at it and keep it: npm run states -- --update',
  );
});
