/**
 * Where streams wait for news. They are woken in slices, one a turn of the event loop: a thousand streams that write at
 * once would hold up a heartbeat by as many system calls. The streams' own bound is the room's.
 */
const SLICE = 64;

export class Waiters {
  #waiting: (() => void)[] = [];
  #woken: (() => void)[] = [];
  #planned = false;

  wait(resolve: () => void): void {
    this.#waiting.push(resolve);
  }

  wakeAll(): void {
    for (const resolve of this.#waiting) this.#woken.push(resolve);
    this.#waiting = [];
    if (!this.#planned) this.#wakeSlice();
  }

  #wakeSlice(): void {
    this.#planned = false;
    for (const resolve of this.#woken.splice(0, SLICE)) resolve();
    if (this.#woken.length === 0) return;
    this.#planned = true;
    setImmediate(() => this.#wakeSlice());
  }
}

/** A stream that waits for news, and may be told to end meanwhile. */
export class Subscriber {
  isOver = false;
  /** It was ended before its time: who reads must see that something is missing. */
  isCut = false;
  #wake: () => void = () => {};

  waitIn(room: Waiters): Promise<void> {
    return new Promise((resolve) => {
      if (this.isOver) {
        resolve();
        return;
      }
      this.#wake = resolve;
      room.wait(resolve);
    });
  }

  end(): void {
    this.isOver = true;
    this.#wake();
  }

  cut(): void {
    this.isCut = true;
    this.end();
  }
}
