/**
 * Files of the web frontend, from `staticFolder`. An unknown path without an extension is a page of the frontend, so it
 * gets `index.html`; one with an extension is missing.
 */
import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { acceptsGzip } from './accept.ts';
import { namesEtag } from './etag.ts';
import type { HttpExchange } from './exchange.ts';
import type { Headers } from './headers.ts';

interface CachedFile {
  readonly mtimeMs: number;
  readonly size: number;
  readonly etag: string;
  readonly bytes: Buffer;
  /** Null where compressing does not pay. */
  readonly zipped: Buffer | null;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** Types that compress well; images and fonts are compressed already. */
const COMPRESSIBLE = /^(text\/|application\/(json|manifest|wasm)|image\/svg)/;
/** Below it the answer fits one packet as it is. */
const COMPRESSED_SIZE_MIN = 1_024;
const compress = promisify(gzip);

/** Files kept in memory; the oldest go first. A dashboard has a few dozen. */
const CACHE_FILES_MAX = 256;
/** A larger file is not ours; it is refused rather than held in memory. */
const FILE_SIZE_MAX = 32 * 1024 * 1024;

export class StaticFiles {
  readonly #cache = new Map<string, CachedFile>();

  /** Answers the call; false where there is no such file. `path` is decoded. */
  async serve(exchange: HttpExchange, folder: string, path: string, pageHeaders: Headers): Promise<boolean> {
    const file = await this.#find(folder, path);
    if (!file) return false;
    const { zipped } = file.content;
    const isZipped = zipped !== null && acceptsGzip(exchange.headers['accept-encoding']);
    const bytes = isZipped ? zipped : file.content.bytes;
    // Another sequence of bytes has another strong validator.
    const etag = isZipped ? file.content.etag.replace(/"$/, '-gz"') : file.content.etag;
    const headers: Headers = [
      ['etag', etag],
      ...(zipped === null ? [] : ([['vary', 'accept-encoding']] as const)),
      ...(isZipped ? ([['content-encoding', 'gzip']] as const) : []),
      ['cache-control', isHashed(file.name) ? 'public, max-age=31536000, immutable' : 'no-cache'],
      ...pageHeaders,
    ];
    exchange.isFile = true;
    if (namesEtag(exchange.headers['if-none-match'], etag)) exchange.send(304, '', '', headers);
    else exchange.send(200, TYPES[extname(file.name)] ?? 'application/octet-stream', bytes, headers);
    return true;
  }

  /** Whether there is such a file; of the frontend's own pages only the first is one. */
  async has(folder: string, path: string): Promise<boolean> {
    const found = await this.#find(folder, path);
    return found !== undefined && (path === '/' || path.endsWith(`/${found.name}`));
  }

  async #find(folder: string, path: string): Promise<{ name: string; content: CachedFile } | undefined> {
    const segments = path.split('/').filter((segment) => segment !== '');
    if (
      segments.some(
        (segment) => segment === '..' || segment === '.' || segment.includes('\0') || segment.includes('\\'),
      )
    )
      return undefined;
    const name = segments.join('/');
    const exact = name === '' ? undefined : await this.#read(folder, name);
    if (exact) return { name, content: exact };
    if (extname(name) !== '') return undefined;
    const index = await this.#read(folder, 'index.html');
    return index && { name: 'index.html', content: index };
  }

  async #read(folder: string, name: string): Promise<CachedFile | undefined> {
    const path = join(folder, name);
    try {
      const [real, root] = await Promise.all([realpath(path), realpath(folder)]);
      if (!real.startsWith(root + sep)) return undefined;
      const stats = await stat(real);
      if (!stats.isFile() || stats.size > FILE_SIZE_MAX) return undefined;
      const known = this.#cache.get(path);
      if (known?.mtimeMs === stats.mtimeMs && known.size === stats.size) return known;
      const bytes = await readFile(real);
      const pays = bytes.byteLength >= COMPRESSED_SIZE_MIN && COMPRESSIBLE.test(TYPES[extname(name)] ?? '');
      // Once a file, on a thread of the runtime's own, not once a request.
      return this.#remember(path, stats.mtimeMs, bytes, pays ? await compress(bytes, { level: 9 }) : null);
    } catch {
      return undefined;
    }
  }

  #remember(path: string, mtimeMs: number, bytes: Buffer, zipped: Buffer | null): CachedFile {
    const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
    const file: CachedFile = { mtimeMs, size: bytes.byteLength, etag, bytes, zipped };
    this.#cache.delete(path);
    this.#cache.set(path, file);
    const [oldest] = this.#cache.keys();
    if (this.#cache.size > CACHE_FILES_MAX && oldest !== undefined) this.#cache.delete(oldest);
    return file;
  }
}

/** Names that the bundler made from the content, e.g. `assets/index-B3kq9_x1.js`: another content has another name. */
function isHashed(name: string): boolean {
  return /^assets\/.*-[A-Za-z0-9_-]{8,}\.\w+$/.test(name);
}
