/** The support bundle as `cairn support-bundle` makes it, put together in the browser of what its reader may read. */
import { bundleFiles, bundleName, readBundle } from '../../../../src/protocol/explain/support-bundle.ts';
import { ApiError, ask, saveAs } from '../../api/request.ts';
import { tarOf } from './tar.ts';

export interface SavedBundle {
  readonly fileName: string;
  /** What could not be read, each with the reason. */
  readonly missing: readonly string[];
}

/** Throws where the server cannot be reached. */
export async function saveSupportBundle(): Promise<SavedBundle> {
  // Without the server there is no bundle; without one of its answers there is one that says so.
  const contents = await readBundle(
    async (path) => (await ask(path)).text(),
    (error) => (error instanceof ApiError && error.status !== 0 ? error.message : undefined),
  );
  const nowMs = Date.now();
  const bundle = bundleName(nowMs);
  const versions = { browser: navigator.userAgent, server: window.location.origin };
  const files = bundleFiles(contents, versions).map(({ name, text }) => ({ path: `${bundle}/${name}`, text }));
  const tar = new Blob(tarOf(files, Math.floor(nowMs / 1_000)) as BlobPart[]);
  const fileName = `${bundle}.tar.gz`;
  saveAs(await new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).blob(), fileName);
  return { fileName, missing: contents.missing };
}
