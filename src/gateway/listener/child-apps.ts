/**
 * The child apps among which an acceptor deals connections out. uWS keeps its turn as a place in the list and does not look
 * at it when the list becomes shorter: the next connection would be dealt from beyond its end, which ends the process. So
 * the list never becomes shorter; while a shard is away, the others stand in it twice.
 */
export interface AcceptorApp {
  addChildAppDescriptor(descriptor: number): void;
  removeChildAppDescriptor(descriptor: number): void;
}

export class ChildApps {
  readonly #app: AcceptorApp;
  /** As the acceptor has them. */
  #places: readonly number[] = [];
  #longest = 0;

  constructor(app: AcceptorApp) {
    this.#app = app;
  }

  /** No connection is accepted meanwhile: this does not wait for anything. */
  set(descriptors: readonly number[]): void {
    // With an empty list uWS does not deal out connections at all, and keeps its turn: the next list must be as long again.
    const size = descriptors.length === 0 ? 0 : Math.max(descriptors.length, this.#longest);
    this.#longest = Math.max(this.#longest, size);
    for (const descriptor of this.#places) this.#app.removeChildAppDescriptor(descriptor);
    this.#places = Array.from({ length: size }, (_, i) => descriptors[i % descriptors.length] as number);
    for (const descriptor of this.#places) this.#app.addChildAppDescriptor(descriptor);
  }
}
