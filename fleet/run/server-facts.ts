/** Asks the server what a run needs to know before it begins, and whether it is there at all. */
import { mustDurationMs } from '../../src/protocol/duration.ts';
import { type Client, WireError } from '../wire/client.ts';
import { jsonElements } from '../wire/json-elements.ts';
import type { ServerFacts } from './run-context.ts';

/** The server cannot be used: not there, or not for us. */
export class NoServer extends Error {
  override readonly name = 'NoServer';
}

const MB = 1024 * 1024;
/** A history this much shorter than the shortest retention is all there when it is compared. */
const RETENTION_MARGIN_SECONDS = 3_600;
/** Older samples are refused (168 h); an hour of it is for the run itself. */
const SAMPLE_AGE_SECONDS_MAX = 167 * 3_600;

interface ConfigParticipant {
  readonly node: { readonly heartbeat: string; readonly ttl: string; readonly maxPerLogSizeMB: number };
  readonly job: { readonly successTTL: string; readonly failureTTL: string };
}

export interface AskedServer extends ServerFacts {
  /** The longest history that it will still hold whole at the end. */
  readonly spanSecondsMax: number;
}

export async function askServer(client: Client, isLocal: boolean): Promise<AskedServer> {
  try {
    return await ask(client, isLocal);
  } catch (error) {
    if (error instanceof WireError || error instanceof SyntaxError) throw new NoServer(error.message);
    throw error;
  }
}

async function ask(client: Client, isLocal: boolean): Promise<AskedServer> {
  const { node, job } = await readConfig(client);
  const keptSeconds = Math.min(mustDurationMs(job.successTTL), mustDurationMs(job.failureTTL)) / 1_000;
  return {
    heartbeatMs: mustDurationMs(node.heartbeat),
    ttlMs: mustDurationMs(node.ttl),
    // Under the cap, where nothing is trimmed and every byte is foreseeable; and no more than a megabyte of disk a file.
    logFileSizeMax: Math.min(MB, 0.9 * node.maxPerLogSizeMB * MB),
    wasEmpty: await hasNoJob(client),
    isLocal,
    spanSecondsMax: Math.min(keptSeconds, SAMPLE_AGE_SECONDS_MAX) - RETENTION_MARGIN_SECONDS,
  };
}

async function readConfig(client: Client): Promise<ConfigParticipant> {
  const reply = await client.request('GET', '/api/v1/config');
  if (reply.status === 200) return JSON.parse(reply.body.toString()) as ConfigParticipant;
  throw new NoServer(`GET /api/v1/config was answered ${reply.status}: ${reply.body.toString('utf8', 0, 200)}`);
}

async function hasNoJob(client: Client): Promise<boolean> {
  for await (const _ of jsonElements(client.stream('/api/v1/job'))) return false;
  return true;
}
