/** What agents and readers make of a job's output must be the same, wherever the job is saved, dies and goes on. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  continued,
  joinsAt,
  logOffsetOfLast,
  type Saved,
  type Segment,
  sharedLength,
  tailStart,
} from '../../agent/output/output-join.ts';
import type { JobEvent } from '../../src/protocol/job.ts';
import { joinOutput } from '../../src/protocol/job-output.ts';
import fc from '../support/laws/fast-check.ts';

const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), bytes: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ kind: fc.constant('ship' as const), bytes: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ kind: fc.constant('save' as const) }),
  fc.record({
    kind: fc.constant('move' as const),
    node: fc.constantFrom('a', 'b', 'c'),
    /** The newest image, or the one before it. */
    image: fc.integer({ min: 1, max: 2 }),
    claims: fc.boolean(),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** A counter writes: the byte at an offset of the stream is always the same. */
const text = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => String.fromCharCode(0x4e00 + from + i)).join('');

class World {
  readonly #events: JobEvent[] = [];
  readonly #images: { readonly saved: Saved; readonly epoch: number }[] = [];
  readonly #claims: string[] = ['a'];
  /** On the nodes, and what the server has of them. */
  readonly #logs = new Map<string, string>();
  readonly #stored = new Map<string, string>();
  #node = 'a';
  #segments: readonly Segment[] = [{ nodeId: 'a', start: 0 }];
  #length = 0;

  constructor() {
    this.#tell('Job-Creating', { nodeOid: 'a' });
  }

  take(it: Step): void {
    switch (it.kind) {
      case 'write':
        this.#write(text(this.#length, this.#length + it.bytes));
        break;
      case 'ship':
        this.#ship(it.bytes);
        break;
      case 'save':
        this.#save();
        break;
      case 'move':
        this.#move(it.node, it.image, it.claims);
    }
  }

  get joined(): string {
    this.#ship(Number.POSITIVE_INFINITY);
    const logOf = (node: string): string => node;
    const sizeOf = (node: string): number => this.#stored.get(node)?.length ?? 0;
    const parts = joinOutput(this.#events, 'stdout', logOf, sizeOf);
    return parts.map(({ log, from, to }) => this.#stored.get(log)?.slice(from, to)).join('');
  }

  get expected(): string {
    return text(0, this.#length);
  }

  #write(bytes: string): void {
    this.#logs.set(this.#node, (this.#logs.get(this.#node) ?? '') + bytes);
    this.#length += bytes.length;
  }

  #ship(count: number): void {
    const stored = this.#stored.get(this.#node) ?? '';
    const log = this.#logs.get(this.#node) ?? '';
    this.#stored.set(this.#node, log.slice(0, Math.min(log.length, stored.length + count)));
  }

  #save(): void {
    const shift = (this.#segments.at(-1)?.start ?? 0) - logOffsetOfLast(this.#segments);
    const acknowledged = Math.min(this.#length, (this.#stored.get(this.#node)?.length ?? 0) + shift);
    const saved = { segments: this.#segments, length: this.#length, acknowledged };
    this.#images.push({ saved, epoch: this.#claims.length });
  }

  #move(to: string, back: number, claims: boolean): void {
    const image = this.#images.at(-back);
    // A new claim may be of the same node; another node has one in any case.
    if (claims || to !== this.#node) this.#claims.push(to);
    this.#node = to;
    if (!image) {
      this.#beginAgain();
      return;
    }
    // Newer ones are set aside.
    this.#images.length -= back - 1;
    const { saved, epoch } = image;
    const isAlone = this.#claims.every((node, i) => i + 1 <= epoch || node === to);
    this.#tell('Job-Restoring', { nodeOid: to, stdoutBytes: joinsAt(saved, to, isAlone) });
    this.#tell('Job-RestoreSucceeded');
    const next = continued(saved, to);
    this.#segments = next.segments;
    this.#length = saved.length;
    const log = this.#logs.get(to) ?? '';
    const start = tailStart(next);
    assert.ok(log.length >= start, 'the node has what its log is to begin with');
    const tail = text(saved.length - next.tail, saved.length);
    const kept = sharedLength(tail, log.slice(start));
    this.#begin(start + kept, tail.slice(kept));
  }

  #beginAgain(): void {
    this.#images.length = 0;
    this.#tell('Job-Creating', { nodeOid: this.#node });
    this.#segments = [{ nodeId: this.#node, start: 0 }];
    this.#length = 0;
    this.#begin(0, '');
  }

  #begin(logLength: number, carried: string): void {
    const log = this.#logs.get(this.#node) ?? '';
    this.#logs.set(this.#node, log.slice(0, logLength) + carried);
    this.#stored.set(this.#node, (this.#stored.get(this.#node) ?? '').slice(0, logLength));
  }

  #tell(eventType: string, more: Partial<JobEvent> = {}): void {
    this.#events.push({ timestamp: '2026-01-31T12:00:00Z', eventType, ...more });
  }
}

test('the joined output is that of one uninterrupted run', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const world = new World();
      for (const it of steps) {
        world.take(it);
      }
      assert.equal(world.joined, world.expected);
    }),
    { numRuns: 2_000 },
  );
});
