/** Every page in the three looks that `test/web/pages.test.ts` leaves out: wide and narrow, light and dark. */
import { test } from 'node:test';
import { seePages } from './every-page.ts';

for (const turn of [1, 2, 3])
  test(`every page is readable for everybody and fits its window, in another look (${turn} of 3)`, () =>
    seePages(turn));
