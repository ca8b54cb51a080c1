/**
 * Tabs of one browser are signed in together: a new one asks the others; signing in, renewals and signing out are sent to all. Nothing is
 * stored beyond the tabs, so the session ends with the last of them.
 */
import {
  currentSession,
  forgetSession,
  keepSignedIn,
  needsSignIn,
  onTokenChange,
  type Session,
  signIn,
} from './token.ts';

type Message =
  | { readonly kind: 'ask' }
  | { readonly kind: 'signed-out' }
  | { readonly kind: 'session'; readonly session: Session; readonly kept: readonly (readonly [string, string])[] };

/** What the user pool's package keeps, so that each tab can renew the session. */
const POOL_PREFIX = 'CognitoIdentityServiceProvider.';
/** What an OpenID Connect provider gave for it. */
const REFRESH = 'cairn.oidc.refresh';

export function shareWithTabs(): void {
  const channel = new BroadcastChannel('cairn.session');
  const tell = (message: Message): void => channel.postMessage(message);
  let isTold = false;
  let wasSignedIn = currentSession() !== null;
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    // What another tab told is not told again.
    isTold = true;
    take(data, tell);
    isTold = false;
  });
  onTokenChange(() => {
    const session = currentSession();
    // A tab without a user is refused too; that is no sign-out.
    const isSignOut = session === null && wasSignedIn;
    wasSignedIn = session !== null;
    if (isTold) return;
    if (isSignOut) tell({ kind: 'signed-out' });
    else if (session !== null && !needsSignIn()) tell(sessionMessage(session));
  });
  if (currentSession() === null) tell({ kind: 'ask' });
}

function take(message: Message, tell: (message: Message) => void): void {
  const session = currentSession();
  if (message.kind === 'ask') {
    if (session !== null && !needsSignIn()) tell(sessionMessage(session));
  } else if (message.kind === 'signed-out') {
    if (session === null) return;
    keep([]);
    forgetSession();
  } else if (session === null) {
    keep(message.kept);
    signIn(message.session);
  } else if (session.userName === message.session.userName) {
    keep(message.kept);
    keepSignedIn(message.session.accessToken);
  }
}

function sessionMessage(session: Session): Message {
  const kept = poolKeys().map((key) => [key, sessionStorage.getItem(key) ?? ''] as const);
  return { kind: 'session', session, kept };
}

function keep(entries: readonly (readonly [string, string])[]): void {
  for (const key of poolKeys()) sessionStorage.removeItem(key);
  for (const [key, value] of entries) sessionStorage.setItem(key, value);
}

function poolKeys(): string[] {
  try {
    return Object.keys(sessionStorage).filter((key) => key.startsWith(POOL_PREFIX) || key === REFRESH);
  } catch {
    // Storage may be forbidden; then there is nothing to renew with either.
    return [];
  }
}
