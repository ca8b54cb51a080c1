/**
 * Seals what leaves the cluster's servers (stream, lease, snapshots) with AES-256-GCM, under a key that HKDF derives from the
 * cluster's key file, one for each purpose. What is bound to one purpose cannot be passed off as another.
 *
 *   sealed:   1 │ nonce (12) │ ciphertext │ tag (16)
 *   unsealed: 0 │ bytes
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomFillSync } from 'node:crypto';
import { CodedError } from '../../base/errors.ts';
import { readBoundedFile } from '../files/read-bounded-file.ts';

const NONCE_SIZE = 12;
const TAG_SIZE = 16;
export const SEAL_SIZE = 1 + NONCE_SIZE + TAG_SIZE;
const KEY_FILE_SIZE_MIN = 32;

export type SealPurpose = 'stream' | 'lease' | 'snapshot';

export class Seal {
  /** Null: nothing is sealed. */
  readonly #key: Buffer | null;
  readonly #purpose: SealPurpose;

  constructor(secret: Uint8Array | null, cluster: string, purpose: SealPurpose) {
    this.#purpose = purpose;
    this.#key = secret && Buffer.from(hkdfSync('sha256', secret, `cairn cluster ${cluster}`, purpose, 32));
  }

  seal(bytes: Uint8Array): Uint8Array {
    if (!this.#key) return Buffer.concat([Buffer.of(0), bytes]);
    const nonce = randomFillSync(Buffer.allocUnsafe(NONCE_SIZE));
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce);
    return Buffer.concat([Buffer.of(1), nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  }

  /** Throws a sentence for the operator where the bytes were sealed with another key, changed, or sealed where they should not be. */
  open(sealed: Uint8Array): Uint8Array {
    if (sealed[0] === 0 && !this.#key) return sealed.subarray(1);
    if (!this.#key) throw unreadable(this.#purpose, 'it is sealed: this server needs the cluster’s key file');
    if (sealed[0] !== 1 || sealed.byteLength < SEAL_SIZE)
      throw unreadable(this.#purpose, 'it is not sealed: every server of a cluster needs the same key file');
    const nonce = sealed.subarray(1, 1 + NONCE_SIZE);
    const decipher = createDecipheriv('aes-256-gcm', this.#key, nonce);
    decipher.setAuthTag(sealed.subarray(sealed.byteLength - TAG_SIZE));
    try {
      const opened = decipher.update(sealed.subarray(1 + NONCE_SIZE, sealed.byteLength - TAG_SIZE));
      return Buffer.concat([opened, decipher.final()]);
    } catch {
      throw unreadable(
        this.#purpose,
        'it was sealed with another key: every server of a cluster needs the same key file',
      );
    }
  }
}

/** The secret in the cluster's key file. Throws a sentence for the operator where it cannot serve as one. */
export async function readClusterKey(file: string): Promise<Uint8Array> {
  const bytes = await readBoundedFile(file);
  if (bytes.byteLength < KEY_FILE_SIZE_MIN)
    throw new Error(`the cluster key in ${file} is too short: it needs at least ${KEY_FILE_SIZE_MIN} random bytes`);
  return bytes;
}

function unreadable(purpose: SealPurpose, why: string): CodedError {
  return new CodedError('internal', `cannot read the cluster’s ${purpose}: ${why}`);
}
