/**
 * Fedora's binary package, the form of rpm 4 (rpm-packaging's "RPM package format"): a lead that only its length matters
 * of, a signature header with sizes and digests, the header with all facts, and a compressed cpio archive.
 */
import { createHash } from 'node:crypto';
import { cpioOf } from './cpio.ts';
import { type Compression, type Entry, machineOf, type PackageFacts, type Scripts, withFolders } from './entry.ts';
import { INT16, INT32, RpmHeader } from './rpm-header.ts';

/** What package `filesystem` owns on every target. */
const PRESENT: ReadonlySet<string> = new Set(
  [
    '/etc /usr /usr/bin /usr/lib /usr/lib/systemd /usr/lib/systemd/system /usr/share /usr/share/doc',
    '/usr/share/licenses /usr/share/man /usr/share/man/man1 /usr/share/man/man5 /usr/share/man/man8',
    '/usr/share/bash-completion /usr/share/bash-completion/completions /usr/share/zsh /usr/share/zsh/site-functions',
    '/usr/share/fish /usr/share/fish/vendor_completions.d',
  ]
    .join(' ')
    .split(' '),
);

const TYPE_BITS = { file: 0o100000, folder: 0o040000, link: 0o120000 } as const;
/** RPMFILE_CONFIG and RPMFILE_NOREPLACE: an edited file stays, the new one comes beside it. */
const CONFIG_NOREPLACE = 1 | 16;
const LESS = 2;
const EQUAL = 8;
/** RPMSENSE_RPMLIB: a demand on rpm itself. */
const RPMLIB = 1 << 24;
const SHA256 = 8;

interface Dependency {
  readonly name: string;
  readonly flags: number;
  readonly version: string;
}

export function rpmOf(
  facts: PackageFacts,
  entries: readonly Entry[],
  scripts: Scripts,
  compression: Compression,
): Uint8Array {
  const content = withFolders(entries, PRESENT);
  const archive = cpioOf(content, facts.epoch);
  const payload = compression.compress(archive);
  const header = headerOf(facts, content, scripts, compression, payload);
  const signature = new RpmHeader()
    .text(269, hash('sha1', header))
    .text(273, hash('sha256', header))
    .numbers(1000, INT32, [header.byteLength + payload.byteLength])
    .bytes(1004, createHash('md5').update(header).update(payload).digest())
    .numbers(1007, INT32, [archive.byteLength])
    .encode(62);
  const gap = new Uint8Array((8 - (signature.byteLength % 8)) % 8);
  return Buffer.concat([leadOf(facts), signature, gap, header, payload]);
}

function headerOf(
  facts: PackageFacts,
  content: readonly Entry[],
  scripts: Scripts,
  compression: Compression,
  payload: Uint8Array,
): Uint8Array {
  const { name, version, epoch, arch } = facts;
  const sizes = content.map(sizeOf);
  const header = new RpmHeader()
    .texts(100, ['C'])
    .text(1000, name)
    .text(1001, version)
    .text(1002, '1')
    .localText(1004, facts.summary)
    .localText(1005, facts.description.join('\n'))
    .numbers(1006, INT32, [epoch])
    .text(1007, 'localhost')
    .numbers(1009, INT32, [sizes.reduce((total, size) => total + size, 0)])
    .text(1014, facts.licence)
    .text(1015, facts.maintainer)
    .localText(1016, 'System Environment/Daemons')
    .text(1020, facts.homepage)
    .text(1021, 'linux')
    .text(1022, machineOf(arch))
    .text(1044, `${name}-${version}-1.src.rpm`)
    .text(1064, '4.18.0')
    .text(1124, 'cpio')
    .text(1125, compression.name)
    .text(1126, '9')
    .text(5062, 'utf-8')
    .texts(5092, [hash('sha256', payload)])
    .numbers(5093, INT32, [SHA256]);
  putScripts(header, scripts);
  putDependencies(header, facts, compression);
  putFiles(header, content, epoch);
  return header.encode(63);
}

function putScripts(header: RpmHeader, { before, after, beforeRemoval, afterRemoval }: Scripts): void {
  for (const [tag, programTag, script] of [
    [1023, 1085, before],
    [1024, 1086, after],
    [1025, 1087, beforeRemoval],
    [1026, 1088, afterRemoval],
  ] as const) {
    if (script !== undefined) header.text(tag, script).text(programTag, '/bin/sh');
  }
}

function putDependencies(header: RpmHeader, facts: PackageFacts, { name: compressor }: Compression): void {
  const own = { flags: EQUAL, version: `${facts.version}-1` };
  const plain = (name: string): Dependency => ({ name, flags: 0, version: '' });
  const rpmlib = (feature: string, version: string): Dependency => ({
    name: `rpmlib(${feature})`,
    flags: RPMLIB | LESS | EQUAL,
    version,
  });
  const arch = { ...own, name: `${facts.name}(${facts.arch === 'amd64' ? 'x86-64' : 'aarch-64'})` };
  put(
    header,
    [1047, 1112, 1113],
    [{ ...own, name: facts.name }, arch, ...facts.provides.map((name) => ({ ...own, name }))],
  );
  put(
    header,
    [1049, 1048, 1050],
    [
      ...facts.requires.rpm.map(plain),
      rpmlib('CompressedFileNames', '3.0.4-1'),
      rpmlib('FileDigests', '4.6.0-1'),
      rpmlib('PayloadFilesHavePrefix', '4.0-1'),
      ...(compressor === 'zstd' ? [rpmlib('PayloadIsZstd', '5.4.18-1')] : []),
    ],
  );
  put(header, [1054, 1053, 1055], facts.conflicts.map(plain));
  put(header, [5046, 5048, 5047], facts.recommends.rpm.map(plain));
}

function put(header: RpmHeader, [names, flags, versions]: readonly [number, number, number], of: Dependency[]): void {
  if (of.length === 0) return;
  header
    .texts(
      names,
      of.map(({ name }) => name),
    )
    .numbers(
      flags,
      INT32,
      of.map((each) => each.flags),
    )
    .texts(
      versions,
      of.map(({ version }) => version),
    );
}

function putFiles(header: RpmHeader, content: readonly Entry[], epoch: number): void {
  const folders = [...new Set(content.map(({ path }) => folderOf(path)))].sort();
  const every = <T>(value: T): T[] => content.map(() => value);
  header
    .numbers(1028, INT32, content.map(sizeOf))
    .numbers(
      1030,
      INT16,
      content.map((entry) => TYPE_BITS[entry.kind] | (entry.kind === 'link' ? 0o777 : entry.mode)),
    )
    .numbers(1033, INT16, every(0))
    .numbers(1034, INT32, every(epoch))
    .texts(
      1035,
      content.map((entry) => (entry.kind === 'file' ? hash('sha256', entry.bytes) : '')),
    )
    .texts(
      1036,
      content.map((entry) => (entry.kind === 'link' ? entry.target : '')),
    )
    .numbers(
      1037,
      INT32,
      content.map((entry) => (entry.kind === 'file' && entry.isConfig ? CONFIG_NOREPLACE : 0)),
    )
    .texts(1039, every('root'))
    .texts(1040, every('root'))
    .numbers(1045, INT32, every(-1))
    .numbers(1095, INT32, every(1))
    .numbers(
      1096,
      INT32,
      content.map((_, index) => index + 1),
    )
    .texts(1097, every(''))
    .numbers(
      1116,
      INT32,
      content.map(({ path }) => folders.indexOf(folderOf(path))),
    )
    .texts(
      1117,
      content.map(({ path }) => path.slice(path.lastIndexOf('/') + 1)),
    )
    .texts(1118, folders)
    .numbers(5011, INT32, [SHA256]);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function sizeOf(entry: Entry): number {
  if (entry.kind === 'file') return entry.bytes.byteLength;
  return entry.kind === 'link' ? Buffer.byteLength(entry.target) : 4096;
}

/** Nothing but `file` reads it; rpm looks for its first bytes. */
function leadOf({ name, version, arch }: PackageFacts): Uint8Array {
  const lead = Buffer.alloc(96);
  lead.writeUInt32BE(0xedabeedb, 0);
  lead.writeUInt8(3, 4);
  lead.writeUInt16BE(arch === 'amd64' ? 1 : 19, 8);
  lead.write(`${name}-${version}-1`.slice(0, 65), 10, 'latin1');
  lead.writeUInt16BE(1, 76);
  lead.writeUInt16BE(5, 78);
  return lead;
}

function hash(algorithm: 'sha1' | 'sha256', bytes: Uint8Array): string {
  return createHash(algorithm).update(bytes).digest('hex');
}
