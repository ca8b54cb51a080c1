/** Builds the dashboard into web/dist: hashed names, nothing inline (the server's policy forbids it), no other origin. */
import { defineConfig } from 'vite';
import { documentPages } from './documents.ts';

const net = new URL('./src/browser/net.ts', import.meta.url).pathname;

/**
 * What the first page needs comes in one file, and what it shares with the reference's page in another. By itself the bundler
 * makes some fifty, one for each set of pages that share something; the browser asks for six at a time.
 */
const FIRST_FILES = {
  groups: [
    { name: fileOf('shared'), tags: ['$initial' as const], priority: 2 },
    { name: fileOf('first'), tags: ['$initial' as const], priority: 1 },
  ],
};

interface Modules {
  getModuleInfo(id: string): { readonly importers: readonly string[] } | null;
}

function fileOf(name: 'shared' | 'first') {
  return (id: string, modules: Modules): string | null => {
    const above = withImporters(id, modules);
    const isForReference = above.has(new URL('./src/reference/reference.ts', import.meta.url).pathname);
    const isForPages = above.has(new URL('./src/main.tsx', import.meta.url).pathname);
    return isForPages && isForReference === (name === 'shared') ? name : null;
  };
}

function withImporters(id: string, modules: Modules): ReadonlySet<string> {
  const found = new Set([id]);
  // It grows while one goes through it.
  for (const one of found) for (const importer of modules.getModuleInfo(one)?.importers ?? []) found.add(importer);
  return found;
}

export default defineConfig({
  base: '/',
  // The user pool's package was written for bundlers that bring Node's globals.
  define: { global: 'globalThis' },
  plugins: [documentPages(new URL('../docs', import.meta.url).pathname)],
  resolve: { alias: { 'node:net': net } },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // An inlined file would be a data: URL, which the policy allows for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ['index.html', 'api.html', 'document.html'].map((page) => new URL(page, import.meta.url).pathname),
      output: { codeSplitting: FIRST_FILES },
    },
  },
  server: {
    proxy: Object.fromEntries(
      ['/api', '/nodes', '/livez', '/readyz', '/metrics', '^/[^/]+\\.log'].map((path) => [
        path,
        { target: 'http://127.0.0.1:8080', changeOrigin: true },
      ]),
    ),
  },
});
