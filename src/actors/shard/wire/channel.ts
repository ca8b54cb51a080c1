/** Two ends of a new channel; one is handed to another thread. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Transferred } from './rpc.ts';

export interface Channel {
  readonly here: MessagePort;
  /** To be passed in a remote call: the port moves to that thread. */
  readonly there: MessagePort;
}

export function openChannel(): Channel {
  const { port1, port2 } = new MessageChannel();
  return { here: port1, there: new Transferred(port2, [port2]) as unknown as MessagePort };
}
