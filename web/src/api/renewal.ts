/** Keeps a user signed in without a word, and ends the session where he signs out. */
import { claimsOf } from './claims.ts';
import { readProvider } from './provider.ts';
import { currentSession, forgetSession, keepSignedIn, onTokenChange, refuseToken, type Session } from './token.ts';
import type { PoolPlace } from './user-pool.ts';

/** Before its end, so that no call meets it; a fifth of the lifetime where that is shorter. */
const AHEAD_MS = 60_000;
const AHEAD_SHARE = 0.2;
/** After a failed try: the pool may be away for a moment. */
const RETRY_MS = 15_000;
/** Between two renewals, however short the tokens last or wrong the clock is. */
const WAIT_MS_MIN = 5_000;
/** Timers hold no more than 2^31 ms. */
const WAIT_MS_MAX = 86_400_000;

let pending: Promise<boolean> | null = null;
let timer: number | undefined;

/** Renews in time for as long as the page lives. */
export function startRenewal(): void {
  onTokenChange((isRenewal) => schedule(isRenewal ? WAIT_MS_MIN : 0));
  schedule(0);
}

/** Whether the session has another token now. Calls that meet the end of a token at once share one renewal. */
export function renewSession(): Promise<boolean> {
  pending ??= renew().finally(() => {
    pending = null;
  });
  return pending;
}

export async function signOut(): Promise<void> {
  const isOfPool = currentSession()?.isRenewable === true;
  forgetSession();
  if (!isOfPool) return;
  (await import('./oidc.ts')).forgetProvider();
  const place = await poolPlace().catch(() => null);
  if (place) await (await import('./user-pool.ts')).signOutOfPool(place);
}

/** Null where the provider is no user pool. */
export async function poolPlace(): Promise<PoolPlace | null> {
  const { userPoolID, clientID, signInEndpoint } = await readProvider();
  return signInEndpoint === null ? null : { userPoolID, clientID, endpoint: signInEndpoint };
}

async function renew(): Promise<boolean> {
  const session = currentSession();
  if (!session?.isRenewable) return false;
  try {
    const next = await nextTokenOf(session);
    if (next === null) return false;
    // He may have signed out meanwhile.
    if (currentSession() !== session) return false;
    keepSignedIn(next);
    return true;
  } catch {
    return false;
  }
}

/** Null where there is nothing to renew with. */
async function nextTokenOf({ accessToken }: Session): Promise<string | null> {
  const { oidc } = await readProvider();
  if (oidc) return (await import('./oidc.ts')).renewedAccessToken(oidc);
  const place = await poolPlace();
  return place && (await import('./user-pool.ts')).renewedToken(place, accessToken);
}

function schedule(waitMsMin: number): void {
  window.clearTimeout(timer);
  const session = currentSession();
  const endsAt = session ? claimsOf(session.accessToken, '').expiresAt : undefined;
  if (!session?.isRenewable || endsAt === undefined) return;
  const leftMs = endsAt * 1000 - Date.now();
  const waitMs = leftMs - Math.min(AHEAD_MS, leftMs * AHEAD_SHARE);
  timer = window.setTimeout(run, Math.min(WAIT_MS_MAX, Math.max(waitMsMin, waitMs)));
}

function run(): void {
  const session = currentSession();
  if (!session) return;
  void renewSession().then((isRenewed) => {
    if (isRenewed || currentSession() !== session) return;
    const endsAt = claimsOf(session.accessToken, '').expiresAt ?? 0;
    if (endsAt * 1000 <= Date.now()) refuseToken(session.accessToken);
    else timer = window.setTimeout(run, RETRY_MS);
  });
}
