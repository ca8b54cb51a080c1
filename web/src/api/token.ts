/** Who is signed in. In the tab's session storage: it ends with the tab, and other origins never see it. */
export interface Session {
  readonly accessToken: string;
  /** As it was typed; a pool may know the user by another name. Empty with a pasted token. */
  readonly userName: string;
  /** Whether the user pool gave it with means to get the next one; a token that was pasted cannot be renewed. */
  readonly isRenewable: boolean;
}

type Listener = (isRenewal: boolean) => void;

const KEY = 'cairn.session';

let session = read();
let isRefused = false;
const listeners = new Set<Listener>();

export function currentSession(): Session | null {
  return session;
}

export function currentToken(): string | null {
  return session?.accessToken ?? null;
}

/** Whether the server asked for a token, or for another one. */
export function needsSignIn(): boolean {
  return isRefused;
}

export function signIn(next: Session): void {
  set(next, false);
}

/** The same user, with a token that lasts longer. */
export function keepSignedIn(accessToken: string): void {
  if (session) set({ ...session, accessToken }, true);
}

export function forgetSession(): void {
  session = null;
  isRefused = true;
  write(null);
  notify(false);
}

/** A call was answered 401: `used` is the token that it carried. One that was replaced meanwhile says nothing. */
export function refuseToken(used: string | null): void {
  if (used !== currentToken() || isRefused) return;
  isRefused = true;
  notify(false);
}

/** `isRenewal` is true where only the token is another one, not the user. */
export function onTokenChange(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function set(next: Session, isRenewal: boolean): void {
  session = next;
  isRefused = false;
  write(next);
  notify(isRenewal);
}

function notify(isRenewal: boolean): void {
  for (const listener of listeners) listener(isRenewal);
}

function read(): Session | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as Session | null;
  } catch {
    return null;
  }
}

function write(next: Session | null): void {
  try {
    if (next === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, JSON.stringify(next));
  } catch {
    // Storage may be forbidden; the session then lasts as long as the page.
  }
}
