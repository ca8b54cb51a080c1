/**
 * Keeps the server's own certificate obtained from an authority: at the start where the one in place is self-made, later
 * when a third of its life is left. The pair lies where the self-made one lay, and the listener takes it up.
 */
import { X509Certificate } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '../../base/log.ts';
import { writeFileDurably } from '../../store/files/durable-file.ts';
import { readBoundedFile } from '../../store/files/read-bounded-file.ts';
import type { AcmeSettings } from './acme-settings.ts';
import { newAccountKey, type ObtainedPair, obtain } from './obtain.ts';

export interface CertificateRenewalHost {
  readonly settings: AcmeSettings;
  readonly certFile: string;
  readonly keyFile: string;
  readonly log: Logger;
  /** Whether this pair is the one that is served. */
  readonly isServed: () => boolean;
  /** Takes up the pair without a failed request. */
  readonly takeUp: () => Promise<void>;
  readonly nowMs: () => number;
  readonly obtain?: (settings: AcmeSettings, accountKey: string) => Promise<ObtainedPair>;
}

const LOOK_EVERY_MS = 12 * 3_600_000;
/** An authority limits how often one may fail: Let's Encrypt to five an hour. */
const RETRY_MS = 3_600_000;

/** Whether another certificate should be obtained. Pure. */
export function isDue(certificate: X509Certificate, names: readonly string[], nowMs: number): boolean {
  const fromMs = Date.parse(certificate.validFrom);
  const toMs = Date.parse(certificate.validTo);
  const isSelfMade = certificate.issuer === certificate.subject;
  const isNamed = names.every((name) => certificate.checkHost(name) !== undefined);
  return isSelfMade || !isNamed || nowMs > toMs - (toMs - fromMs) / 3;
}

export class CertificateRenewal {
  readonly #host: CertificateRenewalHost;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(host: CertificateRenewalHost) {
    this.#host = host;
  }

  /** A pair that ended while the server was down would keep it from starting; the self-made one takes its place. */
  async setAsideExpired(): Promise<void> {
    const { certFile, keyFile, nowMs } = this.#host;
    const certificate = await this.#current();
    if (!certificate || Date.parse(certificate.validTo) > nowMs()) return;
    await rename(certFile, `${certFile}.expired`);
    await rename(keyFile, `${keyFile}.expired`);
  }

  /** The first look is now; resolves after it. */
  async start(): Promise<void> {
    const isGood = await this.look();
    if (this.#isStopped) return;
    this.#timer = setTimeout(() => void this.start(), isGood ? LOOK_EVERY_MS : RETRY_MS).unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** False where a certificate was due and could not be obtained. */
  async look(): Promise<boolean> {
    const { settings, certFile, keyFile, log, isServed, takeUp, nowMs } = this.#host;
    if (!isServed()) return true;
    const certificate = await this.#current();
    if (certificate && !isDue(certificate, settings.names, nowMs())) return true;
    try {
      const pair = await (this.#host.obtain ?? obtain)(settings, await this.#accountKey());
      await writeFileDurably(keyFile, pair.key, 0o600);
      await writeFileDurably(certFile, pair.certificate, 0o644);
      await takeUp();
      log.info({ names: settings.names, certFile }, 'obtained a certificate from the authority');
      return true;
    } catch (error) {
      log.error(
        { kind: 'environment', error, directory: settings.directoryUrl, names: settings.names },
        'cannot obtain a certificate; the one in place stays in use, and the next try is in an hour',
      );
      return false;
    }
  }

  async #current(): Promise<X509Certificate | undefined> {
    try {
      return new X509Certificate(await readBoundedFile(this.#host.certFile));
    } catch {
      return undefined;
    }
  }

  async #accountKey(): Promise<string> {
    const file = join(dirname(this.#host.certFile), 'acme-account.pem');
    const known = await readBoundedFile(file).catch(() => undefined);
    if (known) return known.toString('utf8');
    const made = await newAccountKey();
    await writeFileDurably(file, made, 0o600);
    return made;
  }
}
