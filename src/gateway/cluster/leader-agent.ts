/**
 * Kept connections to the leader. One is handed out only when it stands, and over TLS only when the other side has shown the
 * very certificate that the leader registered beside its URL: no byte of a call goes to anybody else. So a call that got
 * no connection was not sent, and one that got a connection may have been taken.
 */
import { X509Certificate } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';

export interface LeaderPlace {
  readonly url: string;
  /** SHA-256 of its certificate, lower-case hex; null over plain http. */
  readonly fingerprint: string | null;
}

/** Calls that wait for a log line or for the disk occupy one each. Beyond it they wait in the agent's queue. */
const CONNECTIONS_MAX = 128;
/** The server closes a connection that was silent for 8 to 12 s. Closing first means no call meets that moment. */
const IDLE_MS = 5_000;
const CONNECT_MS = 3_000;

type Connected = (error: Error | null, socket: net.Socket) => void;

export class LeaderAgent extends http.Agent {
  readonly #place: LeaderPlace;

  constructor(place: LeaderPlace) {
    super({ keepAlive: true, maxSockets: CONNECTIONS_MAX, timeout: IDLE_MS, scheduling: 'lifo' });
    this.#place = place;
  }

  // The form with a callback: Node waits for it where nothing is returned.
  override createConnection(_options: unknown, connected?: Connected): undefined {
    if (connected) connect(this.#place, connected);
  }
}

function connect({ url, fingerprint }: LeaderPlace, connected: Connected): void {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isTls = protocol === 'https:';
  const target = { host, port: Number(port || (isTls ? 443 : 80)) };
  // The fingerprint is the check: names and authorities are for callers.
  const socket = isTls
    ? tls.connect({ ...target, rejectUnauthorized: false, ...(net.isIP(host) ? {} : { servername: host }) })
    : net.connect(target);
  const end = (error: Error): void => {
    clearTimeout(timer);
    socket.destroy();
    connected(error, socket);
  };
  const timer = setTimeout(() => end(new Error(`no connection within ${CONNECT_MS / 1_000} s`)), CONNECT_MS);
  socket.once('error', end);
  socket.once(isTls ? 'secureConnect' : 'connect', () => {
    if (isTls && fingerprintOf(socket as tls.TLSSocket) !== fingerprint) {
      end(new Error(`${url} shows another certificate than the one that the leader registered`));
      return;
    }
    clearTimeout(timer);
    socket.off('error', end);
    socket.setNoDelay(true);
    connected(null, socket);
  });
}

function fingerprintOf(socket: tls.TLSSocket): string | undefined {
  const { raw } = socket.getPeerCertificate();
  return raw && new X509Certificate(raw).fingerprint256.replaceAll(':', '').toLowerCase();
}
