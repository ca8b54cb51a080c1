/** Builds the dashboard into web/dist: hashed names, nothing inline (the server's policy forbids it), no other origin. */
import { defineConfig } from 'vite';

const net = new URL('./src/browser/net.ts', import.meta.url).pathname;

export default defineConfig({
  base: '/',
  // The user pool's package was written for bundlers that bring Node's globals.
  define: { global: 'globalThis' },
  resolve: { alias: { 'node:net': net } },
  build: {
    target: 'es2023',
    outDir: 'dist',
    emptyOutDir: true,
    // An inlined file would be a data: URL, which the policy allows for images only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { input: ['index.html', 'api.html'].map((page) => new URL(page, import.meta.url).pathname) },
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
