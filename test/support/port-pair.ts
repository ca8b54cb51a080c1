/** Two ends of a port on one thread, closed when the test ends. */
import type { TestContext } from 'node:test';
import { MessageChannel, type MessagePort } from 'node:worker_threads';

export interface PortPair {
  readonly port1: MessagePort;
  readonly port2: MessagePort;
}

export function newPortPair(t: TestContext): PortPair {
  const { port1, port2 } = new MessageChannel();
  t.after(() => {
    port1.close();
    port2.close();
  });
  return { port1, port2 };
}

/** Resolves with the next message; what was sent before it on the same port has been handled by then. */
export function nextMessage<T>(port: MessagePort): Promise<T> {
  return new Promise((resolve) => {
    port.once('message', (message: T) => resolve(message));
  });
}

export function closed(port: MessagePort): Promise<void> {
  return new Promise((resolve) => {
    port.once('close', () => resolve());
  });
}
