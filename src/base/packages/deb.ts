/** Debian's binary package, deb(5): an `ar` archive of a version, a tar of control files and a tar of content. */
import { createHash } from 'node:crypto';
import { type Compression, type Entry, type FileEntry, type PackageFacts, type Scripts, withFolders } from './entry.ts';
import { tarOf } from './tar.ts';

/** Every folder down to `/` is in the content, as dpkg-deb puts it there. */
const NO_FOLDERS: ReadonlySet<string> = new Set();

export function debOf(
  facts: PackageFacts,
  entries: readonly Entry[],
  scripts: Scripts,
  { extension, compress }: Compression,
): Uint8Array {
  const { epoch } = facts;
  const content = withFolders(entries, NO_FOLDERS);
  const files = content.filter((entry) => entry.kind === 'file');
  const control = [
    controlFile('control', controlText(facts, files)),
    controlFile(
      'md5sums',
      files
        .filter(({ isConfig }) => !isConfig)
        .map(sumLine)
        .join(''),
    ),
    controlFile(
      'conffiles',
      files
        .filter(({ isConfig }) => isConfig)
        .map(({ path }) => `${path}\n`)
        .join(''),
    ),
    controlFile('preinst', scripts.before ?? '', 0o755),
    controlFile('postinst', scripts.after ?? '', 0o755),
    controlFile('prerm', scripts.beforeRemoval ?? '', 0o755),
    controlFile('postrm', scripts.afterRemoval ?? '', 0o755),
  ].filter(({ bytes }) => bytes.byteLength > 0);
  const root = { kind: 'folder', path: '/', mode: 0o755 } as const;
  const tar = (of: readonly Entry[]): Uint8Array => compress(tarOf([root, ...of], { prefix: './', epoch }));
  return Buffer.concat([
    Buffer.from('!<arch>\n'),
    ...member('debian-binary', Buffer.from('2.0\n'), epoch),
    ...member(`control.tar.${extension}`, tar(control), epoch),
    ...member(`data.tar.${extension}`, tar(content), epoch),
  ]);
}

function controlFile(name: string, text: string, mode = 0o644): FileEntry {
  return { kind: 'file', path: `/${name}`, mode, bytes: Buffer.from(text) };
}

function sumLine({ path, bytes }: FileEntry): string {
  return `${createHash('md5').update(bytes).digest('hex')}  ${path.slice(1)}\n`;
}

function controlText(facts: PackageFacts, files: readonly FileEntry[]): string {
  const { name, version, arch, maintainer, homepage, summary, description, requires, recommends } = facts;
  const kilobytes = files.reduce((total, { bytes }) => total + Math.ceil(bytes.byteLength / 1024), 0);
  const lines: readonly (readonly [string, string])[] = [
    ['Package', name],
    ['Version', version],
    ['Architecture', arch],
    ['Maintainer', maintainer],
    ['Installed-Size', String(kilobytes)],
    ['Depends', requires.deb.join(', ')],
    ['Recommends', recommends.deb.join(', ')],
    ['Provides', facts.provides.map((provided) => `${provided} (= ${version})`).join(', ')],
    ['Conflicts', facts.conflicts.join(', ')],
    ['Replaces', facts.conflicts.join(', ')],
    ['Section', 'admin'],
    ['Priority', 'optional'],
    ['Homepage', homepage],
    ['Description', [summary, ...description.map((line) => ` ${line === '' ? '.' : line}`)].join('\n')],
  ];
  return lines.flatMap(([field, value]) => (value === '' ? [] : [`${field}: ${value}\n`])).join('');
}

function member(name: string, bytes: Uint8Array, epoch: number): Uint8Array[] {
  const fields = [name.padEnd(16), String(epoch).padEnd(12), '0'.padEnd(6), '0'.padEnd(6), '100644'.padEnd(8)];
  const head = Buffer.from(`${fields.join('')}${String(bytes.byteLength).padEnd(10)}\`\n`, 'latin1');
  return bytes.byteLength % 2 === 0 ? [head, bytes] : [head, bytes, Buffer.from('\n')];
}
