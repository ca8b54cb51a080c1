import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AcceptorApp, ChildApps } from '../../../../src/gateway/listener/child-apps.ts';
import fc from '../../../support/laws/fast-check.ts';

/** Deals like uWS 20.51.4: the turn is a place in the list, and nothing moves it when the list becomes shorter. */
class Acceptor implements AcceptorApp {
  readonly children: number[] = [];
  #turn = 0;

  addChildAppDescriptor(descriptor: number): void {
    this.children.push(descriptor);
  }

  removeChildAppDescriptor(descriptor: number): void {
    for (let i = this.children.length - 1; i >= 0; i--) if (this.children[i] === descriptor) this.children.splice(i, 1);
  }

  /** The child that gets the connection; null where there is none. */
  accept(): number | null {
    if (this.children.length === 0) return null;
    const child = this.children[this.#turn];
    assert.ok(child !== undefined, `dealt from place ${this.#turn} of ${this.children.length}`);
    if (++this.#turn === this.children.length) this.#turn = 0;
    return child;
  }
}

test('whatever children come and go, a connection is dealt to one that is there, and each gets some', () => {
  const child = fc.integer({ min: 1, max: 5 });
  const step = fc.record({ children: fc.uniqueArray(child, { maxLength: 4 }), connections: fc.nat(7) });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
      const acceptor = new Acceptor();
      const apps = new ChildApps(acceptor);
      for (const { children, connections } of steps) {
        apps.set(children);
        for (let i = 0; i < connections; i++) {
          const dealt = acceptor.accept();
          assert.ok(dealt === null ? children.length === 0 : children.includes(dealt));
        }
        const round = new Set(Array.from({ length: acceptor.children.length }, () => acceptor.accept()));
        assert.equal(round.size, children.length);
      }
    }),
  );
});
