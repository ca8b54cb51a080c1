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
 * file's variables, and brings what its tests find there.
 */
export function withServer(
  options: StartOptions | (() => Promise<StartOptions>),
  onReady: (served: Served) => void | Promise<void>,
): void {
  let served: Served | undefined;
  before(async () => {
    const server = await ServerProcess.start(typeof options === 'function' ? await options() : options);
    served = { server, api: new Api(server.address) };
    await onReady(served);
  });
  after(async () => {
    served?.api.close();
    await served?.server.dispose();
  });
}
