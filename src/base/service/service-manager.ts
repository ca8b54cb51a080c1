/**
 * Tells systemd how this process is: ready, alive, stopping. systemd asks for it by environment variables of the unit;
 * elsewhere every call does nothing. The message goes through `systemd-notify`: Node has no datagram sockets of this kind.
 */
import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** Pings within the watchdog's time: one may be late, and one lost. */
const PINGS_PER_WATCHDOG = 3;
const MICROSECONDS_PER_MS = 1_000;

/** How often to ping, in milliseconds; null where systemd does not watch this process. */
export function pingMsOf(env: Environment, pid: number): number | null {
  const watchdogUs = Number(env['WATCHDOG_USEC']);
  if (!env['NOTIFY_SOCKET'] || !(watchdogUs > 0)) return null;
  // Set for one process of the unit, and inherited by the others.
  if (env['WATCHDOG_PID'] !== undefined && env['WATCHDOG_PID'] !== String(pid)) return null;
  return watchdogUs / MICROSECONDS_PER_MS / PINGS_PER_WATCHDOG;
}

/**
 * Says that the service is ready, and from then on that it is alive: a process whose event loop hangs sends nothing, and
 * systemd starts another. Returns how to say that the service stops.
 */
export function announceReady(env: Environment = process.env): () => void {
  if (!env['NOTIFY_SOCKET']) return () => {};
  // The unit's main process is this one, unless a launcher forked.
  notify(['--ready', `--pid=${process.pid}`]);
  const pingMs = pingMsOf(env, process.pid);
  if (pingMs !== null) setInterval(() => notify(['WATCHDOG=1']), pingMs).unref();
  // The pings go on while the service stops: its own limit of time ends it.
  return () => notify(['STOPPING=1']);
}

function notify(args: readonly string[]): void {
  const child = spawn('systemd-notify', args, { stdio: 'ignore', detached: true });
  // Without the program systemd's own limits of time tell the operator.
  child.on('error', () => {});
  child.unref();
}
