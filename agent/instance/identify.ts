/**
 * Decides once, at start, which instance this is: the cloud's word; else what the cloud said earlier in this boot (its
 * service may fail for a moment, and a node must not change its id for that); else a made-up one that stays the same.
 */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { writeFileAtomically } from '../base/atomic-file.ts';
import type { AgentLog } from '../base/log.ts';
import { tryRead } from '../host/probe.ts';
import { bootTimeOf } from '../host/proc-text.ts';
import { askMetadataService } from './imds.ts';
import { type Instance, keptInstanceOf, localInstanceOf, tryMachineId } from './instance.ts';

export interface IdentityOptions {
  readonly dataFolder: string;
  /** Null where no metadata service is asked. */
  readonly imdsUrl: string | null;
  /** What `--id` says. */
  readonly id: string | null;
}

export async function identifyInstance({ dataFolder, imdsUrl, id }: IdentityOptions, log: AgentLog): Promise<Instance> {
  const keptFile = join(dataFolder, 'instance.json');
  const bootId = tryRead('/proc/sys/kernel/random/boot_id').trim();
  const told = imdsUrl === null ? null : await askMetadataService(imdsUrl);
  if (told) {
    await keep(keptFile, JSON.stringify({ bootId, instance: told }), log);
    return told;
  }
  const kept = imdsUrl === null ? null : keptInstanceOf(tryRead(keptFile), bootId);
  if (kept) {
    log.warn('the instance metadata service does not answer: using its earlier answer from this boot');
    return kept;
  }
  return localInstanceOf(await machineId(dataFolder, log), id, bootTimeOf(tryRead('/proc/stat')));
}

async function machineId(dataFolder: string, log: AgentLog): Promise<string> {
  const file = join(dataFolder, 'machine-id');
  const known = tryMachineId(tryRead('/etc/machine-id')) ?? tryMachineId(tryRead(file));
  if (known !== null) return known;
  const made = randomBytes(16).toString('hex');
  await keep(file, made, log);
  return made;
}

/** A full disk must not keep a node from being watched; it may have another id after its next start. */
async function keep(file: string, text: string, log: AgentLog): Promise<void> {
  try {
    await writeFileAtomically(file, `${text}\n`);
  } catch (error) {
    log.warn(`cannot save ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
