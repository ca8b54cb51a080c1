/**
 * Holds what is applied here against the stream, before the stream is followed: it may have lost its end, begin later than this
 * server ends, or be another one.
 */
import type { Engine } from './engine.ts';
import { decodeFrame, digestOf, isSameDigest, NO_DIGEST, previousOf } from './frame.ts';
import type { History } from './history.ts';
import { DivergedError } from './intake.ts';
import type { Seal } from './seal.ts';
import type { ReplicaPeer } from './status.ts';
import { seederIn } from './whole-database.ts';

export interface Comparer {
  readonly history: History;
  readonly seals: { readonly stream: Seal };
  hasData(): boolean;
  /** It was emptied, and not filled to its end. */
  isEmptied(): boolean;
  warn(text: string): void;
  readonly view: { readonly self: ReplicaPeer };
}

/** Publishes what the stream has lost and this server has. Throws a DivergedError where this server must begin again. */
export async function compareHistory(
  engine: Engine,
  { history, seals, hasData, isEmptied, warn, view: { self } }: Comparer,
  heard: (last: number) => void,
): Promise<void> {
  const { sequence, digest } = history.position;
  const { first, last } = await engine.bounds();
  heard(Math.max(last, sequence));
  if (sequence === 0 && isEmptied()) throw new DivergedError('this server stopped while its database was filled');
  if (sequence === 0 && last > 0 && hasData() && !(await beganHere(engine, seals.stream, self)))
    throw new DivergedError('the cluster has begun without what this server has');
  if (first > sequence + 1) throw new DivergedError('the stream does not reach back to what this server has');
  if (last === 0 && sequence > 0 && !history.reachesStart) {
    history.forget();
    warn(`the stream is empty, and was not when ${sequence} messages of it were applied: the cluster begins again`);
  } else if (sequence > last) {
    await publishTail(engine, history, seals.stream, last);
    warn(`the stream had lost its end: ${sequence - last} messages were published again`);
  } else if (sequence >= first) {
    const there = await engine.read(sequence);
    if (there && !isSameDigest(digestOf(seals.stream.open(there)), digest))
      throw new DivergedError('the stream has another history than this server');
  }
}

/** This server has stopped between the first message of what the cluster begins with, and its own database. */
async function beganHere(engine: Engine, seal: Seal, self: ReplicaPeer): Promise<boolean> {
  const first = await engine.read(1);
  const frame = first && decodeFrame(seal.open(first));
  return frame?.kind === 'writes' && frame.parts === 1 && seederIn(frame.payload)?.id === self.id;
}

/** The same messages get the same numbers: nobody publishes others as long as this server is heard (`Members`). */
async function publishTail(engine: Engine, history: History, seal: Seal, last: number): Promise<void> {
  const before = last === 0 ? null : await engine.read(last);
  const digest = before ? digestOf(seal.open(before)) : NO_DIGEST;
  let expected = last;
  for (const { sequence, bytes } of history.tail(last + 1)) {
    if (expected === last && !isSameDigest(previousOf(bytes), digest)) break;
    await engine.publish(seal.seal(bytes), expected);
    expected = sequence;
  }
  if (expected < history.position.sequence)
    throw new DivergedError('the stream has lost more than this server has kept of it');
}
