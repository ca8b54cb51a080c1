/** Every queue stays inside its bound, and every message that was posted is accounted for. */
import type { ActorSystem } from '../../../src/actors/runtime/system.ts';
import type { SystemBounds } from '../../../src/actors/runtime/system-host.ts';

/** The bound is looked at before a message is taken, so one turn's writes may come on top. */
const ONE_TURN_BYTES = 256 * 1024;

export function boundFaults(system: ActorSystem<never>, bounds: SystemBounds): string[] {
  const faults: string[] = [];
  if (system.waiting > bounds.readyMax) faults.push(`${system.waiting} actors wait, at most ${bounds.readyMax} may`);
  if (system.unflushedBytes > bounds.inFlightBytesMax + ONE_TURN_BYTES)
    faults.push(`${system.unflushedBytes} bytes are not durable, at most ${bounds.inFlightBytesMax} may`);
  const { posted, handled, deadLetters, refused } = system.counts;
  const accounted = handled + deadLetters + refused + system.queued;
  if (posted !== accounted)
    faults.push(`${posted} messages were posted, ${accounted} were handled, dead-lettered, refused or wait`);
  return faults;
}
