/** The list of what is in a package, in CycloneDX's form (1.5), made from the files themselves. */
import { createHash } from 'node:crypto';
import type { FileEntry, PackageFacts } from '../../base/packages/entry.ts';
import type { PackageManifest } from './program-files.ts';

const MANIFEST = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\/package\.json$/;
const NATIVE = /\.node$|\/bin\/node$|\/cairn-(shim|hold)-|\/criu\/(criu\.bin|lib\/)/;

export function sbomFile({ name, version, epoch }: PackageFacts, files: readonly FileEntry[]): FileEntry {
  const components = files.flatMap(({ path, bytes }) => {
    if (!MANIFEST.test(path)) return [];
    const manifest = JSON.parse(Buffer.from(bytes).toString('utf8')) as Partial<PackageManifest>;
    if (manifest.name === undefined || manifest.version === undefined) return [];
    const purl = `pkg:npm/${manifest.name.replace('@', '%40')}@${manifest.version}`;
    return [
      {
        type: 'library',
        'bom-ref': `${purl}#${path}`,
        name: manifest.name,
        version: manifest.version,
        purl,
        ...(manifest.license === undefined ? {} : { licenses: [licenceOf(manifest.license)] }),
      },
    ];
  });
  const binaries = files
    .filter(({ path }) => NATIVE.test(path))
    .map(({ path, bytes }) => ({
      type: 'file',
      'bom-ref': `file:${path}`,
      name: path,
      hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(bytes).digest('hex') }],
    }));
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      timestamp: new Date(epoch * 1000).toISOString(),
      component: { type: 'application', 'bom-ref': name, name, version, licenses: [{ license: { id: 'Apache-2.0' } }] },
    },
    components: [...components, ...binaries],
  };
  const path = `/usr/share/doc/${name}/sbom.cdx.json`;
  return { kind: 'file', path, mode: 0o644, bytes: Buffer.from(`${JSON.stringify(bom, null, 1)}\n`) };
}

/** An expression such as `(MIT OR WTFPL)` is no identifier. */
function licenceOf(text: string): object {
  return /[\s()]/.test(text) ? { expression: text } : { license: { id: text } };
}
