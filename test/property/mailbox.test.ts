/** Law: a mailbox equals two lists, of which the system's is emptied first. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Mailbox } from '../../src/actors/runtime/mailbox.ts';
import fc from '../support/laws/fast-check.ts';

const command = fc.record({
  type: fc.constantFrom('user' as const, 'system' as const, 'shift' as const),
  count: fc.integer({ min: 1, max: 6 }),
});

test('a mailbox equals two lists', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 12 }),
      fc.integer({ min: 1, max: 12 }),
      fc.array(command, { maxLength: 80 }),
      (userMax, systemMax, commands) => {
        const mailbox = new Mailbox<number>(userMax, systemMax);
        const lanes = { user: [] as number[], system: [] as number[] };
        const bounds = { user: userMax, system: systemMax };
        let next = 0;
        for (const { type, count } of commands) {
          for (let i = 0; i < count; i++) {
            if (type === 'shift')
              assert.equal(mailbox.shift(), lanes.system.length > 0 ? lanes.system.shift() : lanes.user.shift());
            else {
              const fits = lanes[type].length < bounds[type];
              assert.equal(mailbox.push(type, next), fits);
              if (fits) lanes[type].push(next);
              next++;
            }
            assert.equal(mailbox.size, lanes.user.length + lanes.system.length);
          }
        }
      },
    ),
    { numRuns: 200 },
  );
});
