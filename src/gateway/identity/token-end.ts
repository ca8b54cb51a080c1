/**
 * What ends with the token that it was given to: an answer that goes on and on (events, a followed log).
 *
 * The timer is set for a minute at most, and again. For each duration in milliseconds Node has a list, and keeps it, empty, until that
 * time has passed if its timers are unreferenced: each request had one of its own, for the hours that its token still had.
 */
const STEP_MS = 60_000;

/** Waits for the answer. Where the token ends before, `cut` is called, once. */
export async function withinToken(
  answering: Promise<void>,
  untilMs: number,
  wallMs: () => number,
  cut: () => void,
): Promise<void> {
  if (untilMs === Number.POSITIVE_INFINITY) return answering;
  let timer: NodeJS.Timeout | undefined;
  const look = (): void => {
    const leftMs = untilMs - wallMs();
    // Never in this turn: a token that has ended by now would be cut before its answer has begun.
    if (leftMs <= 0 && timer) cut();
    else timer = setTimeout(look, Math.min(Math.max(0, leftMs), STEP_MS)).unref();
  };
  look();
  await answering.finally(() => clearTimeout(timer));
}
