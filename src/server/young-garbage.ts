/**
 * What V8 is told of a server's memory, before its threads start.
 *
 * V8 notes which places of the code make objects that outlive two collections, and makes later ones of these places old at once.
 * Under load calls wait for the disk for longer than that, so it takes what belongs to a call for something that stays: garbage
 * then fills the old generation, which is marked as a whole every few seconds, while beats wait. See
 * docs/decisions/0198-garbage-of-waiting-calls.md.
 */
import { setFlagsFromString } from 'node:v8';

export function keepGarbageYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
