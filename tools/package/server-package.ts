/** The server's package: everything, the agent among it. */
import type { FileEntry, PackageFacts } from '../../src/base/packages/entry.ts';
import {
  COMMON_FACTS,
  config,
  copyrightOf,
  type Release,
  type Runtime,
  sharedFiles,
  shimSource,
  text,
  unit,
} from '../../src/control/packages/agent-package.ts';
import {
  filesBelow,
  importedBy,
  installedPackages,
  joinedModules,
  packageFiles,
} from '../../src/control/packages/program-files.ts';
import { commandLineFiles } from './documentation.ts';

/** Loaded by a name in a variable, which no reading of the modules finds. The other build is for Node 24 and later. */
const LOADED_BY_NAME = ['uWebSockets.js'];
/** What the server needs to give out the agent's packages. */
const PACKAGING = [
  'packaging/deb',
  'packaging/rpm',
  'packaging/systemd',
  'packaging/env',
  'packaging/criu',
  'packaging/scripts',
];

export function serverFiles(root: string, runtime: Runtime, release: Release): FileEntry[] {
  const compiled = joinedModules(root);
  const packages = installedPackages(root, [...importedBy(compiled), ...LOADED_BY_NAME], runtime.cpu);
  return [
    ...sharedFiles(root, runtime, release),
    ...compiled,
    ...shimSource(root),
    ...filesBelow(root, 'web/dist'),
    ...filesBelow(root, 'web/plain'),
    ...packageFiles(root, packages),
    ...PACKAGING.flatMap((folder) => filesBelow(root, folder)),
    unit(root, 'cairn.service'),
    config(root, 'server.env', 0o644),
    ...commandLineFiles(release),
    text('/usr/share/doc/cairn/copyright', copyrightOf(root)),
  ];
}

export function serverFacts({ arch }: Pick<Runtime, 'arch'>, { version, epoch }: Release): PackageFacts {
  return {
    ...COMMON_FACTS,
    name: 'cairn',
    arch,
    version,
    epoch,
    summary: 'Management server for checkpointed batch jobs on spot worker nodes',
    description: [
      'Watches worker nodes and the batch jobs on them, keeps their checkpoints, metrics and logs, and serves',
      'an API and a dashboard. Contains the worker agent, the command line and its own Node.js runtime.',
    ],
    provides: ['cairn-agent'],
    conflicts: ['cairn-agent'],
    recommends: { deb: ['iptables'], rpm: ['iptables'] },
  };
}
