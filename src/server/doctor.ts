/** `cairn doctor` of a server that runs: what it measures of itself, beside what its folders tell. */
import { addAgents } from '../actors/node/agent-tally.ts';
import type { CommitTimes } from '../actors/shard/wire/commit-times.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { DamageLog } from '../control/doctor/damage-log.ts';
import { folderFacts } from '../control/doctor/folder-facts.ts';
import { processFacts } from '../control/doctor/process-facts.ts';
import { findingsOf } from '../control/doctor/rules.ts';
import { valuesOf } from '../control/doctor/values.ts';
import { Watcher } from '../control/doctor/watcher.ts';
import type { Settings } from '../control/settings/settings.ts';
import type { DoctorReport } from '../protocol/explain/doctor.ts';
import { firstSeqOf } from '../store/commit/group-commit.ts';
import { programVersion } from '../store/files/program-version.ts';
import { databaseFigures } from '../store/kv/lmdb-store.ts';
import type { Reader } from '../store/kv/store.ts';
import type { LiveShards } from './live-shards.ts';
import { databaseFolderOf } from './parts.ts';
import type { Replication } from './replication.ts';

export interface DoctorParts {
  readonly dataFolder: string;
  readonly logFolder: string;
  readonly logs: { readonly log: Logger };
  readonly reader: Reader;
  readonly settings: Settings;
  readonly shards: LiveShards;
  readonly commitTimes: CommitTimes;
  /** Null where the server stands alone. */
  readonly replication: Replication | null;
}

export class ServerDoctor {
  readonly #parts: DoctorParts;
  readonly #clock: Clock = systemClock;
  readonly #watcher: Watcher;
  readonly #damage: DamageLog;
  readonly #version = programVersion();

  constructor(parts: DoctorParts) {
    this.#parts = parts;
    const { reader } = parts;
    this.#watcher = new Watcher({
      clock: this.#clock,
      every: (ms, run) => {
        const timer = setInterval(run, ms).unref();
        return () => clearInterval(timer);
      },
      journal: () => {
        reader.refresh();
        return { entries: reader.count('journal'), first: firstSeqOf(reader) };
      },
    });
    this.#watcher.start();
    this.#damage = new DamageLog(databaseFolderOf(parts), parts.logs.log);
  }

  stop(): void {
    this.#watcher.stop();
    this.#damage.stop();
  }

  async report(): Promise<DoctorReport> {
    const { dataFolder, logFolder, reader, settings, shards, commitTimes, replication } = this.#parts;
    const database = databaseFigures(reader);
    const { config } = settings;
    const nowMs = this.#clock.wallMs();
    const [ofFolders, ofProcess, agents] = await Promise.all([
      folderFacts({ dataFolder, logFolder, config, reader, database, nowMs }),
      processFacts(database?.fileBytes),
      shards.agents().then(addAgents),
    ]);
    const { medianSeconds, count } = commitTimes;
    const facts = {
      ...ofFolders,
      ...ofProcess,
      ...this.#watcher.facts,
      ...this.#damage.facts,
      ...(medianSeconds === undefined ? {} : { flush: { medianSeconds, count } }),
      ...(replication ? { replicaBehindMs: replication.behindMs } : {}),
      agents: { ...agents, server: this.#version },
      nodeClocks: agents.clocks,
    };
    return { findings: findingsOf(facts), checks: valuesOf(facts) };
  }
}
