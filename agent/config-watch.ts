/**
 * Keeps the server's configuration at hand and says in the log which of the settings that concern a worker have changed.
 * The version comes with every reply; the configuration is fetched only when it differs.
 */
import { durationMs, tryParseDuration } from '../src/protocol/duration.ts';
import type { AgentLog } from './base/log.ts';

export type ConfigJson = Readonly<Record<string, unknown>>;

export interface ConfigWatchParts {
  /** GET /api/v1/config; null if it cannot be read now: the next reply asks again. */
  readonly fetch: () => Promise<ConfigJson | null>;
  readonly log: AgentLog;
  /** Told of each configuration that is new. */
  readonly onConfig?: (config: ConfigJson) => void;
}

/** The parts of the configuration that concern a worker. */
const PARTS = ['ckpt', 'job', 'node'];

export class ConfigWatch {
  readonly #parts: ConfigWatchParts;
  #version: number | null = null;
  #config: ConfigJson | null = null;
  #isFetching = false;

  constructor(parts: ConfigWatchParts) {
    this.#parts = parts;
  }

  async onVersion(version: number): Promise<void> {
    if (version === this.#version || this.#isFetching) return;
    this.#isFetching = true;
    try {
      const config = await this.#parts.fetch();
      if (!config) return;
      const keys = this.#config ? changedKeys(this.#config, config) : [];
      if (keys.length > 0) this.#parts.log.info(`configuration ${version} changes ${keys.join(', ')}`);
      this.#config = config;
      this.#version = version;
      this.#parts.onConfig?.(config);
    } finally {
      this.#isFetching = false;
    }
  }
}

/** `part.field` of every setting under ckpt, job and node that differs, in alphabetical order. */
export function changedKeys(before: ConfigJson, after: ConfigJson): string[] {
  const keys: string[] = [];
  for (const part of PARTS) {
    const old = fieldsOf(before[part]);
    const now = fieldsOf(after[part]);
    for (const field of new Set([...Object.keys(old), ...Object.keys(now)])) {
      if (JSON.stringify(old[field]) !== JSON.stringify(now[field])) keys.push(`${part}.${field}`);
    }
  }
  return keys.sort();
}

/** `node.heartbeat` in milliseconds; undefined where it cannot be read. */
export function heartbeatMsIn(config: ConfigJson): number | undefined {
  const { heartbeat } = fieldsOf(config['node']);
  const ns = typeof heartbeat === 'string' ? tryParseDuration(heartbeat) : undefined;
  return ns === undefined ? undefined : durationMs(ns);
}

function fieldsOf(value: unknown): ConfigJson {
  return typeof value === 'object' && value !== null ? (value as ConfigJson) : {};
}
