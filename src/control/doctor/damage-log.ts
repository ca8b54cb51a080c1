/** Names each damaged record once in the server log, and keeps the first of them for `cairn doctor`. */
import type { Logger } from '../../base/log.ts';
import { type DamagedRecord, listenForDamage } from '../../store/kv/damage.ts';
import type { DoctorFacts } from './rules.ts';

/** Names that are kept. Overflow policy: what comes later is counted only, and logged again if it is read again. */
const NAMES_MAX = 1_000;

export class DamageLog {
  readonly #log: Pick<Logger, 'error'>;
  readonly #names = new Set<string>();
  readonly #end: () => void;

  constructor(databaseFolder: string, log: Pick<Logger, 'error'>) {
    this.#log = log;
    this.#end = listenForDamage(databaseFolder, (record) => this.#take(record));
  }

  stop(): void {
    this.#end();
  }

  get facts(): Pick<DoctorFacts, 'damagedRecords'> {
    return { damagedRecords: [...this.#names] };
  }

  #take({ table, key }: DamagedRecord): void {
    const name = `${table} ${key}`;
    if (this.#names.has(name)) return;
    if (this.#names.size < NAMES_MAX) this.#names.add(name);
    this.#log.error(
      { kind: 'environment', table, key },
      'a stored record is damaged: its checksum does not fit. It is left out; the others are not affected. ' +
        'cairn verify lists all damaged records; cairn restore brings back a backup',
    );
  }
}
