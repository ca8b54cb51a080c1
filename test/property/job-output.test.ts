/** The joined output of a job's copies, against a model that owns every byte. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobEvent } from '../../src/protocol/job.ts';
import { joinOutput, type Output } from '../../src/protocol/job-output.ts';
import fc from '../support/laws/fast-check.ts';

/** A copy: its node, how much of what there is its image holds and how much the server has (of 100), what it writes. */
const copy = fc.record({
  node: fc.constantFrom('a', 'b', 'c'),
  image: fc.integer({ min: 0, max: 100 }),
  stored: fc.integer({ min: 0, max: 100 }),
  writes: fc.integer({ min: 0, max: 12 }),
  fresh: fc.boolean(),
  fails: fc.boolean(),
});
type CopyPlan = typeof copy extends fc.Arbitrary<infer T> ? T : never;

interface Byte {
  readonly char: string;
  readonly node: string;
  readonly place: number;
}

/** What an agent does with the stored logs, byte for byte. */
class Model {
  readonly events: JobEvent[] = [];
  readonly logs = new Map<string, string>();
  whole: Byte[] = [];
  #char = 0;

  run({ node, image, stored, writes, fresh, fails }: CopyPlan, isFirst: boolean, output: Output): void {
    const begins = isFirst || fresh;
    const imageEnd = begins ? 0 : Math.floor((this.whole.length * image) / 100);
    const at = begins ? 0 : Math.floor((imageEnd * stored) / 100);
    const offsets = output === 'stdout' ? { stdoutBytes: at, stderrBytes: 7 } : { stdoutBytes: 7, stderrBytes: at };
    const eventType = begins ? 'Job-Creating' : 'Job-Restoring';
    this.#tell(eventType, { nodeOid: node, ...(begins ? {} : offsets) });
    if (!begins) this.#tell(fails ? 'Job-RestoreFailed' : 'Job-RestoreSucceeded');
    if (!begins && fails) return;
    const carried = this.whole.slice(at, imageEnd).map(({ char }) => char);
    this.whole = this.whole.slice(0, at);
    const places = this.whole.filter((byte) => byte.node === node).map(({ place }) => place + 1);
    const cut = Math.max(0, ...places);
    let log = (this.logs.get(node) ?? '').slice(0, cut);
    for (const char of [...carried, ...this.#written(writes)]) {
      this.whole.push({ char, node, place: log.length });
      log += char;
    }
    this.logs.set(node, log);
  }

  #tell(eventType: string, more: Partial<JobEvent> = {}): void {
    this.events.push({ timestamp: '2026-01-31T12:00:00Z', eventType, ...more });
  }

  /** Each byte is another one, so that a wrong one is seen. */
  #written(count: number): string[] {
    return Array.from({ length: count }, () => String.fromCharCode(0x4e00 + this.#char++));
  }
}

for (const output of ['stdout', 'stderr'] as const) {
  test(`the joined ${output} is what one uninterrupted run would have written`, () => {
    fc.assert(
      fc.property(fc.array(copy, { minLength: 1, maxLength: 8 }), (copies) => {
        const model = new Model();
        for (const [i, plan] of copies.entries()) model.run(plan, i === 0, output);
        const log = (node: string): string => model.logs.get(node) ?? '';
        const parts = joinOutput(
          model.events,
          output,
          (node) => node,
          (node) => log(node).length,
        );
        const joined = parts.map((part) => log(part.log).slice(part.from, part.to)).join('');
        assert.equal(joined, model.whole.map(({ char }) => char).join(''));
        let end = 0;
        for (const part of parts) {
          assert.ok(part.at >= end && part.to > part.from);
          end = part.at + part.to - part.from;
        }
      }),
      { numRuns: 2_000 },
    );
  });
}
