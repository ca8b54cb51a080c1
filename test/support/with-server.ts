/** The server that the tests of a file share: started before the first of them, ended and removed after the last. */
import { after, before } from 'node:test';
import { Api } from './api.ts';
import { ServerProcess, type StartOptions } from './server-process.ts';

export interface Served {
  readonly server: ServerProcess;
  readonly api: Api;
}

/**
 * `options` may be made first, by a function that starts what the server needs. `onReady` hands server and client to the
 * file's variables, and brings what its tests find there. A file whose tests start another server in place of the first
 * gives `current`, so that the last one is ended.
 */
export function withServer(
  options: StartOptions | (() => Promise<StartOptions>),
  onReady: (served: Served) => void | Promise<void>,
  current?: () => Served,
): void {
  let served: Served | undefined;
  before(async () => {
    const server = await ServerProcess.start(typeof options === 'function' ? await options() : options);
    served = { server, api: new Api(server.address) };
    await onReady(served);
  });
  after(async () => {
    // Where the start failed there is nothing to end, and the file's variables are empty.
    const last = served && (current?.() ?? served);
    last?.api.close();
    await last?.server.dispose();
  });
}
