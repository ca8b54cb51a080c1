/** What an image needs of its machine, and whether this one has it: processor, programs and libraries. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { machine, release } from 'node:os';
import { tryText } from '../base/process-id.ts';
import type { Manifest } from '../images/manifest.ts';

export type HostFacts = Pick<Manifest, 'kernel' | 'arch' | 'cpuFeatures' | 'executables'>;

/** The facts of this machine as the processes use it. */
export function hostFactsOf(pids: readonly number[]): HostFacts {
  const paths = [...new Set(pids.flatMap(mappedPrograms))].sort();
  const executables = paths.flatMap((path) => {
    const facts = tryProgram(path);
    return facts ? [{ path, ...facts }] : [];
  });
  return { kernel: release(), arch: machine(), cpuFeatures: cpuFeatures(), executables };
}

/** Why the image cannot run here; null where it can. */
export function misfitOf(image: HostFacts): string | null {
  if (image.arch !== machine()) return `it is of ${image.arch}, this machine is ${machine()}`;
  const here = new Set(cpuFeatures());
  const lacking = image.cpuFeatures.filter((feature) => !here.has(feature));
  if (lacking.length > 0) return `this processor lacks ${lacking.slice(0, 8).join(', ')}`;
  for (const { path, bytes, buildId } of image.executables) {
    const program = tryProgram(path);
    if (!program) return `${path} is missing here`;
    if (program.buildId !== buildId)
      return `${path} is another build here (${program.buildId ?? 'none'}, image has ${buildId ?? 'none'})`;
    if (program.bytes !== bytes) return `${path} has ${program.bytes} bytes here, ${bytes} in the image`;
  }
  return null;
}

/** Features that programs choose their code by; the rest (mitigations, virtualisation) says nothing of the code that runs. */
const RELEVANT =
  /^(mmx|sse|sse2|ssse3|sse4_[12]|avx|avx2|avx512\w*|avx_vnni|amx_\w+|fma|f16c|bmi[12]|aes|sha_ni|popcnt|movbe|adx|pclmulqdq|vaes|vpclmulqdq|gfni|xsave\w*|rdrand|rdseed|pku|asimd\w*|sve\w*|atomics|crc32|sha[123]|sha512)$/;

function cpuFeatures(): string[] {
  const line = /^(?:flags|Features)\s*:\s*(.*)$/m.exec(tryText('/proc/cpuinfo'))?.[1] ?? '';
  return line.split(/\s+/).filter((feature) => RELEVANT.test(feature));
}

function mappedPrograms(pid: number): string[] {
  return tryText(`/proc/${pid}/maps`)
    .split('\n')
    .flatMap((line) => {
      const parts = /^\S+ ..x. \S+ \S+ [1-9]\d*\s+(\/.*)$/.exec(line);
      return parts && !(parts[1] as string).endsWith(' (deleted)') ? [parts[1] as string] : [];
    });
}

function tryProgram(path: string): { readonly bytes: number; readonly buildId: string | null } | null {
  try {
    return { bytes: statSync(path).size, buildId: buildIdOf(path) };
  } catch {
    return null;
  }
}

const NOTE_SEGMENT = 4;
const BUILD_ID_NOTE = 3;
const HEADERS_BYTES = 65_536;

/** The id that the linker put into a 64-bit ELF file; null where there is none. */
export function buildIdOf(path: string): string | null {
  const fd = openSync(path, 'r');
  try {
    const head = Buffer.alloc(HEADERS_BYTES);
    const length = readSync(fd, head, 0, HEADERS_BYTES, 0);
    if (length < 64 || head.readUInt32BE(0) !== 0x7f454c46 || head[4] !== 2) return null;
    const table = Number(head.readBigUInt64LE(32));
    const entryBytes = head.readUInt16LE(54);
    for (let i = 0, at = table; i < head.readUInt16LE(56) && at + 56 <= length; i++, at += entryBytes) {
      if (head.readUInt32LE(at) !== NOTE_SEGMENT) continue;
      const notes = Buffer.alloc(Math.min(HEADERS_BYTES, Number(head.readBigUInt64LE(at + 32))));
      readSync(fd, notes, 0, notes.byteLength, Number(head.readBigUInt64LE(at + 8)));
      const id = buildIdIn(notes);
      if (id !== null) return id;
    }
    return null;
  } finally {
    closeSync(fd);
  }
}

function buildIdIn(notes: Buffer): string | null {
  const padded = (n: number): number => (n + 3) & ~3;
  for (let at = 0; at + 12 <= notes.byteLength; ) {
    const [nameBytes, idBytes, type] = [notes.readUInt32LE(at), notes.readUInt32LE(at + 4), notes.readUInt32LE(at + 8)];
    const idAt = at + 12 + padded(nameBytes);
    if (type === BUILD_ID_NOTE && notes.toString('latin1', at + 12, at + 15) === 'GNU') {
      return notes.toString('hex', idAt, idAt + idBytes);
    }
    at = idAt + padded(idBytes);
  }
  return null;
}
