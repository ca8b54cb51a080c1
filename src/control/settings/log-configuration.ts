/** The server log and the access log: two files that follow the configuration live. */

import type { Logger } from '../../base/log.ts';
import { createLogger } from '../../base/log.ts';
import type { LogLevel } from '../../base/log-level.ts';
import { accessLogFileOf, type Config } from '../../protocol/config/config.ts';
import type { LogSource } from '../../store/logs/log-feed.ts';
import type { LogRoots } from '../../store/logs/log-roots.ts';
import { RotatingLog, type RotationRule } from '../../store/logs/rotating-log.ts';
import type { ConfigParticipant, PreparedChange } from './settings.ts';

export class LogConfiguration implements ConfigParticipant {
  readonly log: Logger;
  readonly #server: RotatingLog;
  readonly #access: RotatingLog;
  readonly #roots: LogRoots;

  constructor(config: Config, roots: LogRoots) {
    this.#roots = roots;
    const rule = ruleOf(config);
    this.#server = new RotatingLog(
      config.log.file,
      rule,
      (count) => `{"level":"warn","message":"${count} log lines were dropped: the log could not keep up"}\n`,
    );
    this.#access = new RotatingLog(accessLogFileOf(config), rule, (count) => `{"dropped":${count}}\n`);
    this.log = createLogger(this.#server, config.log.level as LogLevel, { thread: 'main' });
  }

  /** Lines of another thread. */
  writeServer(lines: string): void {
    this.#server.write(lines);
  }

  writeAccess(lines: string): void {
    this.#access.write(lines);
  }

  /** The log in this file, for who follows it; undefined where no log is written there now. */
  source(path: string): LogSource | undefined {
    return [this.#server, this.#access].find((log) => log.path === path);
  }

  /** A file that was taken before its place was bound may stay; another one outside may not be named. */
  async faultsOf(entries: Readonly<Record<string, unknown>>, before: Config): Promise<Record<string, string>> {
    const file = entries['log.file'];
    if (typeof file !== 'string' || !/^\/.*\.log$/s.test(file) || file === before.log.file) return {};
    const fault = (await this.#roots.faultOf(file)) ?? (await fileFault(file));
    return fault === undefined ? {} : { 'log.file': fault };
  }

  async prepare(next: Config, before: Config): Promise<PreparedChange | null> {
    if (JSON.stringify(next.log) === JSON.stringify(before.log)) return null;
    const moved = next.log.file !== before.log.file;
    return {
      commit: async () => {
        for (const log of [this.#server, this.#access]) log.setRule(ruleOf(next));
        this.log.setLevel(next.log.level as LogLevel);
        if (moved) {
          await this.#server.moveTo(next.log.file);
          await this.#access.moveTo(accessLogFileOf(next));
        }
      },
      rollback: () => {},
    };
  }

  async close(): Promise<void> {
    await this.#server.close();
    await this.#access.close();
  }
}

/** A file that cannot be opened must be known before the change is made. */
async function fileFault(file: string): Promise<string | undefined> {
  try {
    await RotatingLog.probe(file);
    await RotatingLog.probe(accessLogFileOf({ log: { file } }));
    return undefined;
  } catch (error) {
    return `cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`;
  }
}

function ruleOf(config: Config): RotationRule {
  return { sizeMax: config.log.maxSizeMB * 1024 * 1024, backupsMax: config.log.maxBackups };
}
