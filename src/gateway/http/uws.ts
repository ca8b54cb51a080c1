/**
 * The door to uWebSockets.js. Two builds are installed under aliases: the older runs on Node 20 and 22 with any glibc we
 * support, the newer is for Node 24 and later and needs glibc 2.38. This file alone chooses; everything else gets types.
 */

import type * as Uws from 'uWebSockets.js';
import { createRequire } from 'node:module';
import type { TlsFiles } from './tls-files.ts';

export type {
  HttpRequest,
  HttpResponse,
  TemplatedApp,
  us_listen_socket,
  us_socket_context_t,
  WebSocket,
  WebSocketBehavior,
} from 'uWebSockets.js';

/** How apps with TLS are made, the acceptor's and the shards'. 1.2 is the oldest version that the library speaks. */
export function tlsAppOptions({ certFile, keyFile, clientCAFile }: TlsFiles): Uws.AppOptions {
  return {
    cert_file_name: certFile,
    key_file_name: keyFile,
    // With it a certificate is asked for: a stranger's ends the handshake, none is let in and told by `showsCertificate`.
    ...(clientCAFile === '' ? {} : { ca_file_name: clientCAFile }),
  };
}

/**
 * Whether the client has shown a certificate of the authority that its app was made with. The library has the call, and
 * not the type of it; a build without the call knows of no certificate.
 */
export function showsCertificate(response: Uws.HttpResponse): boolean {
  const { getX509Certificate } = response as { getX509Certificate?: () => string };
  return getX509Certificate !== undefined && getX509Certificate.call(response).length > 0;
}

interface Build {
  readonly alias: string;
  readonly version: string;
}

const OLDER: Build = { alias: 'uWebSockets.js', version: '20.51.4' };
const NEWER: Build = { alias: 'uWebSockets.js-next', version: '20.69.0' };

type UwsModule = typeof Uws;

/** Bytes of a request's head. uWS's own 4 KB are less than an access token of somebody in many groups. Read when it loads. */
const HEAD_SIZE_MAX = '16384';
process.env['UWS_HTTP_MAX_HEADERS_SIZE'] ??= HEAD_SIZE_MAX;

const loaded = load();
export const uws: UwsModule = loaded.module;
/** The build that loaded, for the log. */
export const uwsVersion: string = loaded.version;

function load(): { readonly module: UwsModule; readonly version: string } {
  const major = Number(process.versions.node.split('.')[0]);
  const order = major >= 24 ? [NEWER, OLDER] : [OLDER, NEWER];
  const require = createRequire(import.meta.url);
  const reasons: string[] = [];
  for (const { alias, version } of order) {
    try {
      const module = require(alias) as UwsModule & { _cfg(option: string): void };
      // No `uWebSockets: 20` header on every answer: it tells strangers what runs here and costs bytes.
      module._cfg('silent');
      return { module, version };
    } catch (error) {
      reasons.push(`${version}: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    }
  }
  throw new Error(
    `cannot load uWebSockets.js on Node ${process.versions.node} (${process.platform} ${process.arch}). ` +
      `Use Node 20 or 22, or Node 24 with glibc 2.38 or later (Debian 13, Ubuntu 24.04). Tried ${reasons.join('; ')}`,
  );
}
