/** Law: what is packed of a node's facts gives the same text again, whatever the text and the id. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsJsonOf, packFacts, SharedFacts } from '../../src/actors/node/packed-facts.ts';
import fc from '../support/laws/fast-check.ts';

const RUNS = 2_000;

/** Characters with a meaning where JSON is cut or packed. */
const tricky = fc.string({
  unit: fc.constantFrom('a', '1', '"', '\\', '[', ']', ',', ':', '{', '}', '\u0000', '\u0001', 'é', '"ips":', '"id":'),
  maxLength: 12,
});
const id = fc.oneof(fc.stringMatching(/^[a-z0-9.]{1,6}$/), tricky);
const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));

/** Any order of keys, and any of them left out. */
const facts = fc.record(
  {
    id,
    ips: fc.array(tricky, { maxLength: 3 }),
    hostName: tricky,
    cloud: tricky,
    cores: number,
    memoryInMB: number,
    instance: fc.record(
      { zone: tricky, instanceId: fc.oneof(id, tricky), createTime: tricky, payType: tricky, pricePerHour: number },
      { requiredKeys: [] },
    ),
    agent: fc.record({ version: tricky, saveMBps: number, clockDifferenceMs: number }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);

test('the facts of nodes are the same when they are unpacked', () => {
  const known = new SharedFacts(8);
  fc.assert(
    fc.property(
      id,
      fc.oneof(
        facts.map((value) => JSON.stringify(value)),
        tricky,
      ),
      (id, json) => {
        assert.equal(factsJsonOf({ id, ...packFacts(id, json, known) }), json);
      },
    ),
    { numRuns: RUNS },
  );
});
