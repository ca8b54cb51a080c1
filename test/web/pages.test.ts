/** Every page in one look, and each look on some pages. The other three of each are in `test/web/pages-in-all-looks.test.ts`. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seePages, theApi } from './every-page.ts';

test('every page is readable for everybody and fits its window', () => seePages(0));

test('the first load brings no more than 157 kB of script, compressed, in few files', async () => {
  const { gzipSync } = await import('node:zlib');
  const api = theApi();
  const index = (await api.get('/')).text;
  const scripts = [...index.matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)].map(([, path]) => path as string);
  assert.ok(scripts.length >= 2, 'the dashboard was not built: npm run build');
  // A browser asks for six at a time.
  assert.ok(scripts.length <= 6, scripts.join(', '));
  const bodies = await Promise.all(scripts.map(async (path) => (await api.get(path)).bytes));
  const total = bodies.reduce((sum, bytes) => sum + gzipSync(bytes).byteLength, 0);
  // Schemas come with the pages that check what is typed.
  assert.deepEqual(
    scripts.filter((_, i) => bodies[i]?.includes('ZodType')),
    [],
  );
  // The budget is 220; so far below it, a library that joins by mistake is noticed.
  assert.ok(total <= 157_000, `${total} bytes: ${scripts.join(', ')}`);
});
