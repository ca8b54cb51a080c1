/**
 * Checks the identity provider's settings before they are taken up: their form, the key set, the pool and its client where
 * credentials are given, and, where a token is given, that it verifies and that its owner stays an administrator.
 * Credentials are used here and forgotten here.
 */
import { CodedError } from '../../base/errors.ts';
import type { Config } from '../../protocol/config/config.ts';
import {
  adminGroupsOf,
  groupsIn,
  type IdpEnable,
  idpFaults,
  type ProviderEnable,
  providerFaults,
  scopesOf,
} from '../../protocol/config/idp.ts';
import type { IdpKeySet, PublicJwk } from '../../protocol/identity/identity.ts';
import { type FetchedKeys, fetchKeys } from './fetch-keys.ts';
import { causeOf } from './idp-keys.ts';
import { type Environment, type IdpTarget, idpTarget } from './provider.ts';
import { checkUserToken, localKeysOf } from './user-token.ts';

export interface CheckedIdp {
  readonly idp: Config['security']['idp'];
  readonly keySet: IdpKeySet;
  /** For the log. */
  readonly warning: string | undefined;
}

/** Throws `invalid` with the reason by field. */
export async function checkedIdp(settings: IdpEnable, env: Environment, nowMs: number): Promise<CheckedIdp> {
  const faults = idpFaults(settings);
  if (Object.keys(faults).length > 0) throw new CodedError('invalid', undefined, faults);
  const { userPoolID, clientID, identityPoolID } = settings;
  const adminGroups = adminGroupsOf(settings.adminGroups);
  const target = idpTarget({ userPoolID, clientID }, env);
  const keys = await keysOf(target);
  const warning = await mustBeKnownThere(settings, adminGroups, target, env);
  if (settings.token) await mustStayAdmin(settings.token, keys, target, adminGroups, nowMs);
  const idp = { enabled: true, userPoolID, identityPoolID, clientID, adminGroups, ...NO_PROVIDER };
  return { idp, keySet: { jwksUri: target.jwksUri, keys }, warning };
}

const NO_POOL = { userPoolID: '', identityPoolID: '' };
const NO_PROVIDER = { issuer: '', audience: '', groupsClaim: '', scopes: '' };

/** Any OpenID Connect provider, by its issuer. Throws `invalid` with the reason by field. */
export async function checkedProvider(settings: ProviderEnable, env: Environment, nowMs: number): Promise<CheckedIdp> {
  const faults = providerFaults(settings);
  if (Object.keys(faults).length > 0) throw new CodedError('invalid', undefined, faults);
  const { issuer, clientID } = settings;
  const adminGroups = groupsIn(settings.adminGroups);
  const idp = {
    enabled: true,
    ...NO_POOL,
    clientID,
    adminGroups,
    issuer,
    audience: settings.audience ?? '',
    groupsClaim: settings.groupsClaim ?? '',
    scopes: scopesOf(settings.scopes).join(' '),
  };
  const target = idpTarget(idp, env);
  const fetched = await describedBy(target);
  if (settings.token) await mustStayAdmin(settings.token, fetched.keys, target, adminGroups, nowMs);
  return { idp, keySet: { jwksUri: target.jwksUri, ...fetched }, warning: undefined };
}

async function describedBy({ jwksUri, issuer }: IdpTarget): Promise<FetchedKeys> {
  let fetched: FetchedKeys;
  try {
    fetched = await fetchKeys(jwksUri);
  } catch (error) {
    throw new CodedError('invalid', undefined, { issuer: `cannot be used: ${causeOf(error)}` });
  }
  const named = fetched.endpoints?.issuer;
  // A slash more or less is the same address and another issuer: its tokens would not be accepted.
  if (named !== issuer) throw new CodedError('invalid', undefined, { issuer: `calls itself ${named}: use that` });
  return fetched;
}

async function keysOf(target: IdpTarget): Promise<readonly PublicJwk[]> {
  try {
    return (await fetchKeys(target.jwksUri)).keys;
  } catch {
    throw new CodedError('invalid', undefined, { userPoolID: 'the key set of the pool cannot be fetched' });
  }
}

/** With an issuer of the operator's choosing there is no Cognito to ask, unless he says where it is. */
async function mustBeKnownThere(
  settings: IdpEnable,
  adminGroups: readonly string[],
  target: IdpTarget,
  env: Environment,
): Promise<string | undefined> {
  const endpoint = env['CAIRN_COGNITO_ENDPOINT'] || undefined;
  if (!settings.accessKey || !settings.secretKey || (target.isOverridden && endpoint === undefined)) return undefined;
  // The SDK takes 20 MB of disk and 100 ms to load; few servers ever ask.
  const { lookUpPool } = await import('./cognito.ts');
  const { faults, warning } = await lookUpPool({
    region: settings.region,
    userPoolID: settings.userPoolID,
    clientID: settings.clientID,
    adminGroups,
    accessKey: settings.accessKey,
    secretKey: settings.secretKey,
    endpoint,
  });
  if (Object.keys(faults).length > 0) throw new CodedError('invalid', undefined, faults);
  return warning;
}

async function mustStayAdmin(
  token: string,
  keys: readonly PublicJwk[],
  target: IdpTarget,
  adminGroups: readonly string[],
  nowMs: number,
): Promise<void> {
  let groups: readonly string[] | null;
  try {
    const user = await checkUserToken(token, localKeysOf(keys), target, nowMs);
    if (!user) throw new CodedError('tokenInvalid', 'its key is not in the key set');
    ({ groups } = user);
  } catch (error) {
    const reason = error instanceof CodedError ? (error.detail ?? 'it does not verify') : 'it does not verify';
    throw new CodedError('invalid', undefined, { token: `does not verify under these settings: ${reason}` });
  }
  if (!groups?.some((group) => adminGroups.includes(group))) {
    throw new CodedError('invalid', undefined, {
      adminGroups: 'the token has none of these groups: its owner would be locked out',
    });
  }
}
