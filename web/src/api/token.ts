/** The signed-in user's token. In the tab's session storage: it ends with the tab, and other origins never see it. */
const KEY = 'cairn.token';

let token = read();
let isRefused = false;
const listeners = new Set<() => void>();

export function currentToken(): string | null {
  return token;
}

/** Whether the server asked for a token, or for another one. */
export function needsSignIn(): boolean {
  return isRefused;
}

export function signIn(next: string): void {
  token = next;
  isRefused = false;
  write(next);
  notify();
}

export function signOut(): void {
  token = null;
  isRefused = true;
  write(null);
  notify();
}

/** A call was answered 401: `used` is the token that it carried. One that was replaced meanwhile says nothing. */
export function refuseToken(used: string | null): void {
  if (used !== token || isRefused) return;
  isRefused = true;
  notify();
}

export function onTokenChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function notify(): void {
  for (const listener of listeners) listener();
}

function read(): string | null {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function write(next: string | null): void {
  try {
    if (next === null) sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, next);
  } catch {
    // Storage may be forbidden; the token then lasts as long as the page.
  }
}
