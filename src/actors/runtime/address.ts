/** Where an actor is found. An address is plain data and may cross threads; the messages it takes are in its type. */
declare const protocol: unique symbol;

/** A message says what its reply is, in its type only. */
export interface Message<Reply = void> {
  readonly type: string;
  readonly [protocol]?: Reply;
}

/** The reply to the message of type `T` among those that an address takes. */
export type ReplyFor<M, T> = Extract<M, { readonly type: T }> extends Message<infer Reply> ? Reply : never;

export interface Address<M extends Message<unknown>> {
  readonly kind: string;
  readonly id: string;
  readonly [protocol]?: (message: M) => void;
}

/** Any address; for the runtime, which knows no messages. */
export type AnyAddress = { readonly kind: string; readonly id: string };
export type AnyMessage = { readonly type: string };

export function addressOf<M extends Message<unknown>>(kind: string, id: string): Address<M> {
  return { kind, id };
}

/**
 * What code that talks to actors holds: the same interface whether the actor is on this thread or on another.
 */
export interface ActorRefs {
  /** False where a bounded queue refused it: the caller decides, nothing was taken. */
  tell<M extends Message<unknown>>(to: Address<M>, message: M): boolean;
  /**
   * The reply, once what the actor wrote for it is durable. Rejects with a CodedError: `overloaded` where a queue is full
   * or the deadline passed, `storageFull`, `internal`, or what the actor refused with.
   */
  ask<P extends Message<unknown>, T extends P['type']>(
    to: Address<P>,
    message: P & { readonly type: T },
    deadlineMs?: number,
  ): Promise<ReplyFor<P, T>>;
}

/** Long enough for a disk that stalls for seconds, short enough that a client hears before its own time-out. */
export const ASK_DEADLINE_MS = 15_000;
