/**
 * Goes through every page in every state (loading, empty, partial, failed, refused, full, stale, offline), in light and dark,
 * and compares those that are kept in test/web/states/kept. Ends with 1 where one differs. Pictures of all are in
 * test-output/states.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startBrowser } from '../test/web/browser.ts';
import { differenceOf, keepStates, PAGES, seeStates } from '../test/web/states/made-states.ts';
import { givenLine } from './command-line.ts';

const PICTURES = join('test-output', 'states');

const USAGE = `npm run states -- [PAGE …] [--update]

Goes through the pages of the dashboard in every state, and compares those that are kept. Ends with 1 where one differs.

  --update   keeps what is seen now; look at the change, and at the pictures, before you commit it

Pages: ${Object.keys(PAGES).join(', ')}
`;

const { values, positionals } = givenLine({
  usage: USAGE,
  options: { update: { type: 'boolean' } },
  names: { what: 'page', known: Object.keys(PAGES) },
});
const isUpdate = values.update === true;
const pages = Object.keys(PAGES).filter((name) => positionals.length === 0 || positionals.includes(name));
mkdirSync(PICTURES, { recursive: true });
const browser = await startBrowser();
try {
  const seen = await seeStates(browser, {
    pages,
    isUpdate,
    onSeen: async ({ page: name, state, theme }, page) => {
      const height = (await page.evaluate(
        `document.querySelector('main').lastElementChild.getBoundingClientRect().bottom + 40`,
      )) as number;
      const clip = { x: 0, y: 0, width: 1_440, height: Math.min(4_000, Math.max(700, height)) };
      await page.screenshot({ path: join(PICTURES, `${name}-${state}-${theme}.png`), animations: 'disabled', clip });
    },
  });
  if (isUpdate) keepStates(seen);
  const compared = seen.filter(({ kept }) => !isUpdate && kept !== undefined);
  const differences = compared.map(differenceOf).filter((text) => text !== '');
  for (const text of differences) process.stdout.write(`${text}\n`);
  process.stdout.write(
    `${seen.length} states seen, ${compared.length} compared, ${differences.length} differ; pictures are in ${PICTURES}\n`,
  );
  process.exitCode = differences.length === 0 ? 0 : 1;
} finally {
  await browser.close();
}
