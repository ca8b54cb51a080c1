/**
 * The listener's part in the configuration: another address is bound before it is written, another certificate is checked
 * before it is taken, and a changed file behind an unchanged path is noticed.
 */
import { stat } from 'node:fs/promises';
import { CodedError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { ConfigParticipant, PreparedChange } from '../../control/settings/settings.ts';
import { formatAddress, type ServerAddress } from '../../protocol/address.ts';
import { addressOf, type Config } from '../../protocol/config/config.ts';
import type { PairFiles, TlsFiles } from '../http/tls-files.ts';
import { authorityFault, ensureSelfMade, type PairFault, pairFaults, renewSelfMade } from './certificate.ts';
import { keyFileWarning } from './key-file.ts';
import type { Listener } from './listener.ts';

/** The contract allows 15 s until a changed file is noticed; a stat costs nothing. */
const WATCH_MS = 5_000;

export class ListenerConfiguration implements ConfigParticipant {
  readonly #listener: Listener;
  readonly #log: Logger;
  /** Where the self-made pair stands; it is made when https is asked for and it is missing. */
  readonly #selfMade: PairFiles;
  /** Names by which clients reach this server, for that pair. */
  readonly #publicNames: readonly string[];
  readonly #timer: NodeJS.Timeout;
  /** Told of each address and certificate that is taken up. */
  onServed: (address: string, tls: TlsFiles | null) => void = () => {};
  /** Why the server must not move to an address at which it could listen. */
  addressFault: (address: ServerAddress) => string | null = () => null;
  #tls: TlsFiles | null = null;
  #seen = '';

  constructor(listener: Listener, selfMade: PairFiles, log: Logger, publicNames: readonly string[] = []) {
    this.#listener = listener;
    this.#selfMade = selfMade;
    this.#log = log;
    this.#publicNames = publicNames;
    this.#timer = setInterval(() => void this.#watch(), WATCH_MS).unref();
  }

  /** Listens as the configuration says, for the first time. Throws a CodedError that says why not. */
  async start(config: Config): Promise<void> {
    const tls = await this.#tlsFor(config);
    const ready = await this.#listener.prepare(addressOf(config), tls);
    ready.commit();
    this.#tls = tls;
    this.#seen = await fingerprint(tls);
    this.#tell();
  }

  /** Of the files together: a key belongs to a certificate. */
  async faultsOf(entries: Readonly<Record<string, unknown>>, before: Config): Promise<Record<string, string>> {
    const files: Record<keyof TlsFiles, string> = { ...filesOf(before) };
    let isChanged = false;
    for (const name of ['certFile', 'keyFile', 'clientCAFile'] as const) {
      const value = entries[`security.${name}`];
      if (typeof value !== 'string' || value === files[name]) continue;
      files[name] = value;
      isChanged = true;
    }
    return isChanged ? fieldsOf(await tlsFaults(files)) : {};
  }

  async prepare(next: Config, before: Config): Promise<PreparedChange | null> {
    const moved = next.addr !== before.addr;
    const repaired =
      next.security.certFile !== before.security.certFile ||
      next.security.keyFile !== before.security.keyFile ||
      next.security.clientCAFile !== before.security.clientCAFile;
    if (!moved && !repaired) return null;
    if (moved) this.#mustBeReachable(addressOf(next));
    const tls = await this.#tlsFor(next);
    const seen = await fingerprint(tls);
    const take = (): void => {
      this.#tls = tls;
      this.#seen = seen;
      this.#tell();
    };
    if (moved) {
      const ready = await this.#listener.prepare(addressOf(next), tls);
      const commit = (): void => {
        ready.commit();
        take();
      };
      return { commit, rollback: () => ready.rollback() };
    }
    const commit = async (): Promise<void> => {
      if (tls) await this.#listener.renew(tls);
      take();
    };
    return { commit, rollback: () => {} };
  }

  /** Looks at the certificate files now, also if their times and sizes have stayed the same. */
  async reload(): Promise<void> {
    this.#seen = 'asked for';
    await this.#watch();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #mustBeReachable(address: ServerAddress): void {
    const fault = this.addressFault(address);
    if (fault === null) return;
    throw new CodedError('addressUnavailable', `cannot move to ${formatAddress(address)}: ${fault}`);
  }

  async #tlsFor(config: Config): Promise<TlsFiles | null> {
    if (addressOf(config).scheme === 'http') return null;
    const files = filesOf(config);
    if (
      files.certFile === this.#selfMade.certFile &&
      files.keyFile === this.#selfMade.keyFile &&
      (await ensureSelfMade(files, Date.now(), this.#publicNames))
    ) {
      this.#log.info({ certFile: files.certFile }, 'created a self-signed certificate');
    }
    await mustBeUsable(files);
    const warning = await keyFileWarning(files.keyFile);
    if (warning !== undefined) this.#log.warn({ kind: 'environment', keyFile: files.keyFile }, warning);
    return files;
  }

  /** A self-signed pair is renewed before it expires; its files have then changed, and are loaded like any change. */
  async #renewSelfMade(tls: TlsFiles): Promise<void> {
    const { certFile, keyFile } = this.#selfMade;
    if (tls.certFile !== certFile || tls.keyFile !== keyFile) return;
    try {
      if (await renewSelfMade(tls, Date.now(), this.#publicNames))
        this.#log.info({ certFile }, 'renewed the self-signed certificate before it expires');
    } catch (error) {
      this.#log.error({ kind: 'environment', error, certFile }, 'cannot renew the self-signed certificate');
    }
  }

  #tell(): void {
    this.onServed(this.#listener.address ?? '', this.#tls);
  }

  async #watch(): Promise<void> {
    const tls = this.#tls;
    if (!tls) return;
    await this.#renewSelfMade(tls);
    const seen = await fingerprint(tls);
    if (seen === this.#seen || tls !== this.#tls) return;
    this.#seen = seen;
    const [fault] = await tlsFaults(tls);
    if (fault) {
      this.#log.error(
        { kind: 'environment', ...fault, ...tls },
        'the certificate files have changed but cannot be used; the old pair stays in use',
      );
      return;
    }
    await this.#listener.renew(tls);
    this.#tell();
    this.#log.info({ ...tls }, 'the certificate files have changed and are in use');
  }
}

function filesOf(config: Config): TlsFiles {
  const { certFile, keyFile, clientCAFile } = config.security;
  return { certFile, keyFile, clientCAFile };
}

async function mustBeUsable(files: TlsFiles): Promise<void> {
  const faults = await tlsFaults(files);
  if (faults.length > 0) throw new CodedError('invalid', undefined, fieldsOf(faults));
}

interface TlsFault {
  readonly field: PairFault['field'] | 'security.clientCAFile';
  readonly reason: string;
}

async function tlsFaults(files: TlsFiles): Promise<TlsFault[]> {
  const faults: TlsFault[] = await pairFaults(files, Date.now());
  const reason = files.clientCAFile === '' ? undefined : await authorityFault(files.clientCAFile);
  return reason === undefined ? faults : [...faults, { field: 'security.clientCAFile', reason }];
}

function fieldsOf(faults: readonly TlsFault[]): Record<string, string> {
  return Object.fromEntries(faults.map(({ field, reason }) => [field, reason]));
}

async function fingerprint(tls: TlsFiles | null): Promise<string> {
  if (!tls) return '';
  const parts = await Promise.all(
    [tls.certFile, tls.keyFile, ...(tls.clientCAFile === '' ? [] : [tls.clientCAFile])].map((file) =>
      stat(file).then(
        ({ mtimeMs, size, ino }) => `${mtimeMs}:${size}:${ino}`,
        () => 'missing',
      ),
    ),
  );
  return parts.join(' ');
}
