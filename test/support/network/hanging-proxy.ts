/** A way to a server that can be made to hang: connections stay, new ones are taken, and nothing passes. */
import net from 'node:net';

export class HangingProxy {
  readonly #server: net.Server;
  readonly #sockets = new Set<net.Socket>();
  /** Those whose other end went while the server hung. */
  readonly #left = new Set<net.Socket>();
  #isHanging = false;

  private constructor(port: number) {
    this.#server = net.createServer((inside) => {
      const outside = net.connect(port, '127.0.0.1');
      for (const [from, to] of [
        [inside, outside],
        [outside, inside],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => {});
        from.on('close', () => {
          this.#sockets.delete(from);
          // A server that hangs closes nothing; the one behind it would, as nobody speaks to it.
          if (this.#isHanging && from === outside) this.#left.add(to);
          else to.destroy();
        });
        from.pipe(to, { end: false });
        if (this.#isHanging) from.pause();
      }
    });
  }

  /** In front of the server at this address, http://HOST:PORT. */
  static async start(address: string): Promise<HangingProxy> {
    const proxy = new HangingProxy(Number(new URL(address).port));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as net.AddressInfo).port}`;
  }

  hang(): void {
    this.#isHanging = true;
    for (const socket of this.#sockets) socket.pause();
  }

  pass(): void {
    this.#isHanging = false;
    for (const socket of this.#sockets) socket.resume();
    for (const socket of this.#left) socket.destroy();
    this.#left.clear();
  }

  stop(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
