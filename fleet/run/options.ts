/** The options of `cairn fleet`: read, checked against bounds, with their defaults. */
import { readFileSync } from 'node:fs';
import type { FlagValues } from '../../src/base/command-input.ts';
import { UsageError } from '../../src/base/usage-error.ts';
import { isLoopback } from '../../src/protocol/config/loopback.ts';
import { durationMs, tryParseDuration } from '../../src/protocol/duration.ts';

/** How heartbeats go: over WebSockets and over HTTP where there are none, or over one of them only. */
export const TRANSPORTS = ['auto', 'websocket', 'http'] as const;
export type Transport = (typeof TRANSPORTS)[number];

export interface FleetOptions {
  readonly server: URL;
  readonly nodes: number;
  readonly jobs: number;
  readonly queues: number;
  readonly durationSeconds: number;
  readonly seed: number;
  readonly speed: number;
  readonly batch: number;
  readonly transport: Transport;
  readonly prefix: string;
  readonly token: string | undefined;
  readonly insecure: boolean;
  readonly ca: Buffer | undefined;
  readonly verify: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
}

/** Each node is a timer and a small record; more than this is the business of a benchmark. */
const NODES_MAX = 20_000;
/** Plans are made again when needed, so a job costs a timer while it runs and two bytes afterwards. */
const JOBS_MAX = 200_000;
const QUEUES_MAX = 100;
/** Heartbeat samples are kept by the minute for the comparison. */
const DURATION_SECONDS_MAX = 12 * 3_600;
const SPEED_MAX = 10_000;
/** The server takes no more beats in a call. */
const BATCH_MAX = 10_000;

interface FleetFlags {
  readonly server?: string;
  readonly nodes?: string;
  readonly jobs?: string;
  readonly queues?: string;
  readonly duration?: string;
  readonly seed?: string;
  readonly speed?: string;
  readonly batch?: string;
  readonly transport?: string;
  readonly prefix?: string;
  readonly token?: string;
  readonly insecure?: boolean;
  readonly ca?: string;
  readonly 'no-verify'?: boolean;
  readonly quiet?: boolean;
  readonly json?: boolean;
}

/** Throws `UsageError`. */
export function readOptions(
  flags: FlagValues,
  environment: Readonly<Record<string, string | undefined>>,
  nowMs: number,
): FleetOptions {
  const values = flags as FleetFlags;
  const server = serverOf(values.server ?? environment['CAIRN_SERVER'] ?? 'http://127.0.0.1:8080');
  const seed = numberOf(values, 'seed', 1, { low: 0, high: 2 ** 32 - 1 });
  return {
    server,
    nodes: numberOf(values, 'nodes', 50, { low: 1, high: NODES_MAX }),
    jobs: numberOf(values, 'jobs', 200, { low: 0, high: JOBS_MAX }),
    queues: numberOf(values, 'queues', 5, { low: 1, high: QUEUES_MAX }),
    durationSeconds: durationOf(values.duration ?? '1m'),
    seed,
    speed: numberOf(values, 'speed', 60, { low: 0.1, high: SPEED_MAX, fraction: true }),
    batch: numberOf(values, 'batch', 1, { low: 1, high: BATCH_MAX }),
    transport: transportOf(values.transport ?? 'auto'),
    prefix: prefixOf(values.prefix ?? `fleet-${seed}-${Math.floor(nowMs / 1_000).toString(36)}`),
    token: values.token,
    insecure: values.insecure ?? (isLoopback(server.hostname) && values.ca === undefined),
    ca: values.ca === undefined ? undefined : fileOf(values.ca),
    verify: values['no-verify'] !== true,
    quiet: values.quiet ?? false,
    json: values.json ?? false,
  };
}

function serverOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new UsageError(`cannot use the server ${text}: want http://host:port or https://host:port`);
  }
  return url;
}

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly fraction?: true;
}

function numberOf(
  values: FleetFlags,
  name: 'nodes' | 'jobs' | 'queues' | 'seed' | 'speed' | 'batch',
  absent: number,
  { low, high, fraction }: Bounds,
): number {
  const text = values[name];
  if (text === undefined) return absent;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if ((fraction || Number.isInteger(value)) && value >= low && value <= high) return value;
  throw new UsageError(`cannot use --${name} ${text}: want a ${fraction ? '' : 'whole '}number from ${low} to ${high}`);
}

function durationOf(text: string): number {
  const ns = tryParseDuration(text);
  const seconds = ns === undefined ? Number.NaN : durationMs(ns) / 1_000;
  if (seconds >= 1 && seconds <= DURATION_SECONDS_MAX) return seconds;
  throw new UsageError(`cannot use --duration ${text}: want 1s to ${DURATION_SECONDS_MAX / 3_600}h`);
}

function transportOf(text: string): Transport {
  const transport = TRANSPORTS.find((known) => known === text);
  if (transport) return transport;
  throw new UsageError(`cannot use --transport ${text}: want one of ${TRANSPORTS.join(', ')}`);
}

/** Short enough that every id made with it fits the contract's 128 characters. */
function prefixOf(text: string): string {
  if (/^[A-Za-z0-9._-]{1,60}$/.test(text)) return text;
  throw new UsageError(`cannot use --prefix ${text}: want 1 to 60 of A-Z a-z 0-9 . _ -`);
}

function fileOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`cannot read --ca ${path}: ${(error as NodeJS.ErrnoException).code ?? 'it cannot be opened'}`);
  }
}
