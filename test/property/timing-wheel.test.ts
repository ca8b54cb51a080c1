/**
 * Law: nothing fires early, everything fires with the first advance at or after its due time in whole milliseconds, in order
 * of due time.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimingWheel, type WheelEntry } from '../../src/base/timing-wheel.ts';
import fc from '../support/laws/fast-check.ts';

const command = fc.oneof(
  fc.record({ type: fc.constant('schedule' as const), inMs: fc.double({ min: -50, max: 9_000, noNaN: true }) }),
  fc.record({ type: fc.constant('cancel' as const), which: fc.nat(40) }),
  fc.record({
    type: fc.constant('advance' as const),
    byMs: fc.oneof(fc.double({ min: 0, max: 60, noNaN: true }), fc.double({ min: 0, max: 20_000, noNaN: true })),
  }),
);

test('a timing wheel equals a list of deadlines', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e7, noNaN: true }),
      fc.constantFrom(1, 7, 50),
      fc.array(command, { maxLength: 80 }),
      (startMs, granularityMs, commands) => {
        let nowMs = startMs;
        const wheel = new TimingWheel<number>(nowMs, granularityMs);
        const entries: WheelEntry<number>[] = [];
        const waiting = new Map<number, number>();
        for (const command of commands) {
          switch (command.type) {
            case 'schedule':
              waiting.set(entries.length, Math.ceil(nowMs + command.inMs));
              entries.push(wheel.schedule(nowMs + command.inMs, entries.length));
              break;
            case 'cancel': {
              const entry = entries[command.which];
              if (!entry) break;
              wheel.cancel(entry);
              waiting.delete(command.which);
              break;
            }
            case 'advance': {
              nowMs += command.byMs;
              const fired: number[] = [];
              wheel.advance(nowMs, (payload) => fired.push(payload));
              const due = [...waiting].filter(([, dueMs]) => dueMs <= nowMs);
              assert.deepEqual([...fired].sort(), due.map(([payload]) => payload).sort());
              const times = fired.map((payload) => waiting.get(payload) as number);
              assert.deepEqual(
                times,
                [...times].sort((a, b) => a - b),
              );
              for (const payload of fired) waiting.delete(payload);
            }
          }
          assert.equal(wheel.size, waiting.size);
        }
      },
    ),
    { numRuns: 300 },
  );
});
