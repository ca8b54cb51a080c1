/** The identity provider's settings, as endpoints 1 to 3 carry them. */
import { z } from 'zod';
import { textSchema } from '../text.ts';
import type { Config } from './config.ts';
import { isLoopback } from './loopback.ts';

const EXAMPLE_POOL = {
  region: 'us-east-1',
  userPoolID: 'us-east-1_AbCdEf123',
  clientID: '1example23456789',
  identityPoolID: 'us-east-1:12345678-1234-1234-1234-123456789012',
  adminGroups: 'admin',
};
const EXAMPLE_PROVIDER = {
  issuer: 'https://login.example.com/realms/cairn',
  clientID: 'cairn',
  groupsClaim: 'realm_access.roles',
  adminGroups: 'admin',
};

export const idpEnableSchema = z
  .object({
    region: textSchema,
    userPoolID: textSchema,
    clientID: textSchema,
    identityPoolID: textSchema,
    adminGroups: textSchema,
    accessKey: textSchema.nullish(),
    secretKey: textSchema.nullish(),
    token: textSchema.nullish(),
  })
  .meta({
    id: 'UserPoolProvider',
    description: 'A Cognito user pool as the identity provider',
    examples: [EXAMPLE_POOL],
  });
export type IdpEnable = z.infer<typeof idpEnableSchema>;

const textOrTexts = z.union([textSchema, z.array(textSchema).max(256)]);

/** The form for any OpenID Connect provider. */
export const providerEnableSchema = z
  .object({
    issuer: textSchema.describe('The issuer, exactly as its tokens name it: https, or http on loopback'),
    clientID: textSchema.describe('The client of the dashboard: public, with the authorization code flow and PKCE'),
    audience: textSchema
      .nullish()
      .describe('What aud must contain; without it, aud, azp, client_id or cid is the client'),
    groupsClaim: textSchema
      .nullish()
      .describe('The claim with the groups: a name, or else a path such as realm_access.roles; groups by default'),
    scopes: textOrTexts.nullish().describe('Scopes that the dashboard asks for; openid by default'),
    adminGroups: textOrTexts.describe('Users in one of these groups are administrators; separated by commas'),
    token: textSchema.nullish().describe('An access token of an administrator, to be checked with these settings'),
  })
  .meta({
    id: 'OpenIdProvider',
    description: 'An OpenID Connect provider as the identity provider',
    examples: [EXAMPLE_PROVIDER],
  });
export type ProviderEnable = z.infer<typeof providerEnableSchema>;

/** What PUT /api/v1/security/idp takes. */
export const idpRequestSchema = z.union([idpEnableSchema, providerEnableSchema]).meta({
  id: 'IdentityProvider',
  description: 'An identity provider: a Cognito user pool, or any OpenID Connect provider by its issuer',
  examples: [EXAMPLE_PROVIDER, EXAMPLE_POOL],
});

/** What is of the pool's form only. */
const POOL_FIELDS = ['region', 'userPoolID', 'identityPoolID', 'accessKey', 'secretKey'] as const;

/** Whether the body names a provider by its issuer. */
export function namesIssuer(body: unknown): boolean {
  return isGiven((body as { readonly issuer?: unknown } | null)?.issuer);
}

/** Fields of the other form that are given as well. */
export function bothFormsFaults(body: unknown): Record<string, string> {
  const given = POOL_FIELDS.filter((name) => isGiven((body as Readonly<Record<string, unknown>>)[name]));
  if (given.length === 0) return {};
  const reason = 'belongs to the form with a user pool: give either an issuer or a user pool';
  return Object.fromEntries(given.map((name) => [name, reason]));
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

export const idpSettingsSchema = z
  .object({
    enabled: z.boolean(),
    region: z.string(),
    userPoolID: z.string(),
    clientID: z.string(),
    identityPoolID: z.string(),
    adminGroups: z.string(),
    issuer: z.string().optional().describe('Only with an OpenID Connect provider'),
    audience: z.string().optional(),
    groupsClaim: z.string().optional(),
    scopes: z.string().optional(),
  })
  .meta({
    id: 'IdentityProviderSettings',
    description: 'The settings of the identity provider, without credentials',
    examples: [{ enabled: true, ...EXAMPLE_POOL }],
  });
export type IdpSettings = z.infer<typeof idpSettingsSchema>;

/** `local` is where the usual emulator of Cognito has its pools. */
const REGION = /^([a-z]{2}(-[a-z]+)+-\d{1,2}|local)$/;
/** Cognito's have messages and digits; other providers' are host names, too. */
const CLIENT_ID = /^[A-Za-z0-9_+.-]{1,128}$/;

/** Region of a pool id `<region>_<id>`; empty where there is none. */
export function regionOfPool(userPoolID: string): string {
  const underscore = userPoolID.lastIndexOf('_');
  return underscore > 0 ? userPoolID.slice(0, underscore) : '';
}

export function idpSettingsOf(config: Config): IdpSettings {
  const { idp } = config.security;
  return {
    enabled: idp.enabled,
    region: regionOfPool(idp.userPoolID),
    userPoolID: idp.userPoolID,
    clientID: idp.clientID,
    identityPoolID: idp.identityPoolID,
    adminGroups: idp.adminGroups.join(','),
    ...(idp.issuer === ''
      ? {}
      : {
          issuer: idp.issuer,
          audience: idp.audience,
          groupsClaim: idp.groupsClaim || GROUPS_CLAIM,
          scopes: idp.scopes || SCOPES,
        }),
  };
}

/** What is meant where nothing is set. */
export const GROUPS_CLAIM = 'groups';
export const SCOPES = 'openid';

const PROVIDER_LENGTH_MAX = 512;

/** Why the settings are not valid, by field; empty where they are. */
export function providerFaults(settings: ProviderEnable): Record<string, string> {
  const faults: Record<string, string> = {};
  const { issuer, clientID, audience, groupsClaim } = settings;
  const issuerFault = placeFault(issuer);
  if (issuerFault !== undefined) faults['issuer'] = issuerFault;
  else if (/[?#]/.test(issuer)) faults['issuer'] = 'has a query or a fragment';
  if (!/^[\x21-\x7e]{1,128}$/.test(clientID)) faults['clientID'] = 'is not a client id';
  if (audience && audience.length > PROVIDER_LENGTH_MAX)
    faults['audience'] = `is longer than ${PROVIDER_LENGTH_MAX} characters`;
  if (groupsClaim && groupsClaim.length > 256) faults['groupsClaim'] = 'is longer than 256 characters';
  if (!scopesOf(settings.scopes).every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(scope)))
    faults['scopes'] = 'holds what is not a scope';
  else if (scopesOf(settings.scopes).join(' ').length > 1024) faults['scopes'] = 'is longer than 1024 characters';
  if (groupsIn(settings.adminGroups).length === 0) faults['adminGroups'] = 'names no group';
  return faults;
}

/** Why the server would not connect to the address; undefined where it would. */
export function placeFault(address: string): string | undefined {
  if (address.length > PROVIDER_LENGTH_MAX || !URL.canParse(address)) return 'is not an https address';
  const { protocol, hostname, username, password } = new URL(address);
  if (username !== '' || password !== '') return 'holds a user name or a password';
  if (protocol === 'https:') return undefined;
  if (protocol !== 'http:') return 'is not an https address';
  return isLoopback(hostname) ? undefined : 'is not https: http is allowed on loopback only';
}

export function scopesOf(scopes: ProviderEnable['scopes']): string[] {
  return (typeof scopes === 'string' ? scopes : (scopes ?? []).join(' ')).split(/\s+/).filter((scope) => scope !== '');
}

export function groupsIn(groups: ProviderEnable['adminGroups']): string[] {
  return typeof groups === 'string' ? adminGroupsOf(groups) : groups.filter((group) => group !== '');
}

/** Why the settings are not valid, by field; empty where they are. */
export function idpFaults(settings: IdpEnable): Record<string, string> {
  const faults: Record<string, string> = {};
  const { region, userPoolID, identityPoolID, clientID } = settings;
  if (!REGION.test(region)) faults['region'] = 'is not a region, such as us-east-1';
  if (!/^[A-Za-z0-9-]+_[A-Za-z0-9]{1,64}$/.test(userPoolID)) faults['userPoolID'] = 'is not <region>_<id>';
  else if (regionOfPool(userPoolID) !== region) faults['userPoolID'] = 'is in another region';
  const uuid = /^([A-Za-z0-9-]+):[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.exec(identityPoolID);
  if (!uuid) faults['identityPoolID'] = 'is not <region>:<uuid>';
  else if (uuid[1] !== region) faults['identityPoolID'] = 'is in another region';
  if (!CLIENT_ID.test(clientID)) faults['clientID'] = 'is not a client id';
  if (adminGroupsOf(settings.adminGroups).length === 0) faults['adminGroups'] = 'names no group';
  if (Boolean(settings.accessKey) !== Boolean(settings.secretKey)) {
    faults[settings.accessKey ? 'secretKey' : 'accessKey'] = 'is missing: give both keys or neither';
  }
  return faults;
}

export function adminGroupsOf(text: string): string[] {
  return text
    .split(',')
    .map((group) => group.trim())
    .filter((group) => group !== '');
}
