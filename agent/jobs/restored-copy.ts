/** Starts the engine on an image that lies whole in the job's local folder: a copy in which it goes on. */
import { join } from 'node:path';
import { Copy } from '../copies/copy.ts';
import { restoreArgs } from '../engine/criu.ts';
import type { Manifest } from '../images/manifest.ts';
import { planRestore } from '../podman/container-start.ts';
import { remakeInitFolder } from './init-folder.ts';
import type { JobContext } from './job-context.ts';

export async function startRestored(context: JobContext, manifest: Manifest): Promise<void> {
  const { folder, services, record } = context;
  const copyFolder = folder.copy(record.copyNumber);
  const output = { stdout: folder.output('stdout'), stderr: folder.output('stderr') };
  const podman = manifest.engine === 'podman' ? services.podman() : null;
  if (podman) {
    const beside = { podman, copyFolder, name: context.container, spec: record.spec, output };
    const program = await planRestore(beside, folder.restore, manifest.tcpClose);
    Copy.run(copyFolder, services.shim(), program, output, null);
    return;
  }
  const engine = services.engine();
  const command = restoreArgs({
    folder: folder.restore,
    pidFile: join(copyFolder, 'pid'),
    tcpClose: manifest.tcpClose,
    stdout: manifest.output.stdout.path,
    stderr: manifest.output.stderr.path,
  });
  await remakeInitFolder(manifest.initCwd);
  Copy.restore(copyFolder, services.shim(), [engine?.path ?? 'criu', ...command], folder.restore, output);
}
