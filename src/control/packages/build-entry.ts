/** A process of its own that makes one agent package from an installation: `build-entry ROOT FORMAT FILE`. */
import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tryArch } from '../../base/packages/entry.ts';
import { yieldToOthers } from '../../store/backup/low-priority.ts';
import { agentFacts, agentFiles, FORMATS, packageBytes, type Runtime, scriptsOf } from './agent-package.ts';
import { bestCompression, GZIP, PROMPT_LEVEL } from './compression.ts';
import { filesBelow, HOME } from './program-files.ts';
import { sbomFile } from './sbom.ts';

/** A Node of a distribution is a small program with libraries that a target does not have. */
const SELF_CONTAINED_BYTES_MIN = 40_000_000;

function main([root, format, target]: readonly string[]): void {
  const known = FORMATS.find((each) => each === format);
  const arch = tryArch(process.arch);
  if (root === undefined || target === undefined || known === undefined || arch === undefined)
    throw new Error('want ROOT FORMAT FILE');
  yieldToOthers();
  const node = readFileSync(process.execPath);
  if (node.byteLength < SELF_CONTAINED_BYTES_MIN)
    throw new Error(`${process.execPath} needs libraries of this machine; run npm run package and use its files`);
  const manifest = join(root, 'package.json');
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const release = { version, epoch: Math.floor(statSync(manifest).mtimeMs / 1000) };
  const programs = [...filesBelow(root, 'criu'), ...filesBelow(root, 'bundle/agent/shim')].filter(({ path }) =>
    path.startsWith(`${HOME}/criu/`)
      ? basename(path) !== 'choose-criu'
      : /^cairn-(shim|hold)-[0-9a-f]+$/.test(basename(path)),
  );
  const runtime: Runtime = { arch, node, cpu: process.arch, programs };
  const facts = agentFacts(runtime, release);
  const files = agentFiles(root, runtime, release);
  const compressions = { best: bestCompression(PROMPT_LEVEL), gzip: GZIP };
  const entries = [...files, sbomFile(facts, files)];
  const bytes = packageBytes(known, facts, entries, scriptsOf(root, facts.name, version), compressions);
  const temporary = `${target}.${process.pid}.new`;
  try {
    writeFileSync(temporary, bytes, { mode: 0o640 });
    renameSync(temporary, target);
  } finally {
    rmSync(temporary, { force: true });
  }
}

main(process.argv.slice(2));
