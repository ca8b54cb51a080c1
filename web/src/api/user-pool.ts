/**
 * The door to the user pool: signs a user in, step by step, as the pool asks for it. The package is loaded when it is needed.
 * What it keeps (the tokens with which a session is renewed) stands in the tab's session storage, like the session itself.
 */
import {
  AuthenticationDetails,
  CognitoUser,
  CognitoUserAttribute,
  CognitoUserPool,
  type CognitoUserSession,
  type IAuthenticationCallback,
} from 'amazon-cognito-identity-js';

export interface PoolPlace {
  readonly userPoolID: string;
  readonly clientID: string;
  readonly endpoint: string;
}

/** With SRP the password never leaves the browser; without, it is sent to the pool. */
export type Flow = 'USER_SRP_AUTH' | 'USER_PASSWORD_AUTH';

export type Step =
  | { readonly kind: 'signed-in'; readonly accessToken: string }
  | {
      readonly kind: 'new-password';
      /** Names of attributes that the pool wants besides, e.g. `name`. */
      readonly attributes: readonly string[];
      readonly answer: (password: string, attributes: Readonly<Record<string, string>>) => Promise<Step>;
    }
  | { readonly kind: 'code'; readonly answer: (code: string) => Promise<Step> }
  | { readonly kind: 'no-srp' }
  | { readonly kind: 'unconfirmed' };

export function signInToPool(place: PoolPlace, userName: string, password: string, flow: Flow): Promise<Step> {
  const user = userOf(place, userName);
  user.setAuthenticationFlowType(flow);
  const details = new AuthenticationDetails({ Username: userName, Password: password });
  return stepOf(user, flow, (callbacks) => user.authenticateUser(details, callbacks));
}

/** Whether the pool wants a code, which it has sent, before the new user may sign in. */
export function signUpAtPool(place: PoolPlace, userName: string, password: string, email: string): Promise<boolean> {
  const attributes = email === '' ? [] : [new CognitoUserAttribute({ Name: 'email', Value: email })];
  return new Promise((resolve, reject) => {
    poolOf(place).signUp(userName, password, attributes, [], (error, result) =>
      error ? reject(error) : resolve(result?.userConfirmed !== true),
    );
  });
}

export function confirmSignUp(place: PoolPlace, userName: string, code: string): Promise<void> {
  return new Promise((resolve, reject) => {
    userOf(place, userName).confirmRegistration(code, true, (error) => (error ? reject(error) : resolve()));
  });
}

export function sendCodeAgain(place: PoolPlace, userName: string): Promise<void> {
  return new Promise((resolve, reject) => {
    userOf(place, userName).resendConfirmationCode((error) => (error ? reject(error) : resolve()));
  });
}

/** The next access token of the user who signed in in this tab. */
export async function renewedToken(place: PoolPlace, used: string): Promise<string> {
  const user = poolOf(place).getCurrentUser();
  if (!user) throw new Error('nobody signed in to the pool in this tab');
  // One that has ended is renewed by this already.
  const kept = await sessionOf((callback) => user.getSession(callback));
  if (tokenOf(kept) !== used) return tokenOf(kept);
  return tokenOf(await sessionOf((callback) => user.refreshSession(kept.getRefreshToken(), callback)));
}

/** Forgets the user and asks the pool to revoke what could renew the session. */
export function signOutOfPool(place: PoolPlace): Promise<void> {
  const user = poolOf(place).getCurrentUser();
  return new Promise((resolve) => {
    if (user) user.signOut(() => resolve());
    else resolve();
  });
}

function poolOf({ userPoolID, clientID, endpoint }: PoolPlace): CognitoUserPool {
  return new CognitoUserPool({
    UserPoolId: userPoolID,
    ClientId: clientID,
    endpoint,
    Storage: window.sessionStorage,
    // No fingerprint of the browser is collected for the pool's risk rules.
    AdvancedSecurityDataCollectionFlag: false,
  });
}

function userOf(place: PoolPlace, userName: string): CognitoUser {
  return new CognitoUser({ Username: userName, Pool: poolOf(place), Storage: window.sessionStorage });
}

function stepOf(user: CognitoUser, flow: Flow, begin: (callbacks: IAuthenticationCallback) => void): Promise<Step> {
  return new Promise((resolve, reject) => {
    const code = (name: 'SMS_MFA' | 'SOFTWARE_TOKEN_MFA') => (): void =>
      resolve({
        kind: 'code',
        answer: (text) => stepOf(user, flow, (callbacks) => user.sendMFACode(text, callbacks, name)),
      });
    begin({
      onSuccess: (session) => resolve({ kind: 'signed-in', accessToken: tokenOf(session) }),
      onFailure: (error: Error & { code?: string }) => {
        if (error.code === 'UserNotConfirmedException') resolve({ kind: 'unconfirmed' });
        else if (flow === 'USER_SRP_AUTH' && isWithoutSrp(error)) resolve({ kind: 'no-srp' });
        else reject(faultOf(error));
      },
      newPasswordRequired: (_: unknown, required: readonly string[]) =>
        resolve({
          kind: 'new-password',
          attributes: required.map((name) => name.replace(/^userAttributes\./, '')),
          answer: (password, attributes) =>
            stepOf(user, flow, (callbacks) => user.completeNewPasswordChallenge(password, attributes, callbacks)),
        }),
      mfaRequired: code('SMS_MFA'),
      totpRequired: code('SOFTWARE_TOKEN_MFA'),
    });
  });
}

/** What the pool says in the words of who signs in; it does not tell which of both is wrong. */
function faultOf(error: Error & { code?: string }): Error {
  const isWrong =
    error.code === 'UserNotFoundException' ||
    /^(incorrect username or password|invalid password)\.?$/i.test(error.message);
  if (isWrong) return new Error('Wrong user name or password.');
  return error.code === 'NetworkError' || error.message === 'Network error'
    ? new Error('The user pool cannot be reached. Check your network, then try again.')
    : error;
}

/** Cognito: the app client does not allow the flow. Emulators: they do not know it. */
function isWithoutSrp({ code = '', message }: Error & { code?: string }): boolean {
  return code === 'Unsupported' || (code === 'InvalidParameterException' && /USER_SRP_AUTH/.test(message));
}

function sessionOf(
  ask: (callback: (error: Error | null, session: CognitoUserSession | null) => void) => void,
): Promise<CognitoUserSession> {
  return new Promise((resolve, reject) => {
    ask((error, session) => (session ? resolve(session) : reject(error ?? new Error('the pool gave no session'))));
  });
}

function tokenOf(session: CognitoUserSession): string {
  return session.getAccessToken().getJwtToken();
}
