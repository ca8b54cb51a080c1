/** The support bundle as `cairn support-bundle` makes it, put together in the browser of what its reader may read. */
import type { Config } from '../../../../src/protocol/config/config.ts';
import {
  BUNDLE_PARTS,
  bundleLogs,
  bundleName,
  withoutSecrets,
} from '../../../../src/protocol/explain/support-bundle.ts';
import { ApiError, ask, askJson, saveAs } from '../../api/request.ts';
import { tarOf } from './tar.ts';

export interface SavedBundle {
  readonly fileName: string;
  /** What could not be read, each with the reason. */
  readonly missing: readonly string[];
}

/** Throws where the server cannot be reached. */
export async function saveSupportBundle(): Promise<SavedBundle> {
  const { log } = await askJson<Config>('/api/v1/config');
  const files: { path: string; text: string }[] = [];
  const missing: string[] = [];
  const nowMs = Date.now();
  const bundle = bundleName(nowMs);
  const add = (name: string, text: string): void => {
    files.push({ path: `${bundle}/${name}`, text });
  };
  for (const { name, path, isSecret } of [...BUNDLE_PARTS, ...bundleLogs(log.file)]) {
    try {
      const text = await (await ask(path)).text();
      add(name, isSecret ? withoutSecrets(text) : text);
    } catch (error) {
      // Without the server there is no bundle; without one of its answers there is one that says so.
      if (!(error instanceof ApiError) || error.status === 0) throw error;
      missing.push(`${name}: ${error.message}`);
    }
  }
  add(
    'versions.json',
    `${JSON.stringify({ browser: navigator.userAgent, server: window.location.origin }, null, 2)}\n`,
  );
  if (missing.length > 0) add('missing.txt', `${missing.join('\n')}\n`);
  const tar = new Blob(tarOf(files, Math.floor(nowMs / 1_000)) as BlobPart[]);
  const fileName = `${bundle}.tar.gz`;
  saveAs(await new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).blob(), fileName);
  return { fileName, missing };
}
