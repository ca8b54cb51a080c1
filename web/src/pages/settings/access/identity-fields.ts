/** The two forms of an identity provider: what each asks for, what is wrong with it, and the body that it sends. */
import {
  type IdpEnable,
  type IdpSettings,
  idpFaults,
  type ProviderEnable,
  providerFaults,
} from '../../../../../src/protocol/config/idp.ts';
import { withMissing } from './missing-fields.ts';

export type ProviderKind = 'pool' | 'issuer';
export type Faults = Readonly<Record<string, string>>;

const OWN_TOKEN = {
  name: 'token',
  label: 'Your access token',
  about: 'Optional. Checks that you will be an administrator, so that you do not lock yourself out.',
  isSecret: true,
} as const;
const ADMIN_GROUPS = {
  name: 'adminGroups',
  label: 'Administrator groups',
  about: 'Separated by commas. Their members may change everything; name one that you are a member of.',
  example: 'admin,root',
} as const;

/** Every field of both forms. What both ask for stays when the user changes from one to the other. */
const NO_VALUES = {
  ...{ region: '', userPoolID: '', identityPoolID: '', accessKey: '', secretKey: '' },
  ...{ issuer: '', audience: '', groupsClaim: '', scopes: '' },
  ...{ clientID: '', adminGroups: '', token: '' },
};
export type Values = Readonly<typeof NO_VALUES>;

export interface Field {
  readonly name: keyof Values;
  readonly label: string;
  readonly about?: string;
  /** The form of the value. */
  readonly example?: string;
  readonly isSecret?: boolean;
}

interface ProviderForm {
  readonly label: string;
  /** Which providers it is for, and what it takes. */
  readonly about: string;
  readonly fields: readonly Field[];
  /** What is needed for a check only, behind a line that says so. */
  readonly check?: { readonly label: string; readonly fields: readonly Field[] };
  readonly faultsOf: (values: Values) => Faults;
  readonly bodyOf: (values: Values) => IdpEnable | ProviderEnable;
}

export const PROVIDER_FORMS: Readonly<Record<ProviderKind, ProviderForm>> = {
  pool: {
    label: 'Cognito user pool',
    about:
      'People sign in here with name and password. Takes the pool, its app client, the identity pool, and the groups of administrators.',
    fields: [
      { name: 'region', label: 'Region', about: 'The AWS region of both pools.', example: 'us-east-1' },
      {
        name: 'userPoolID',
        label: 'User pool',
        about: 'Its id. The people of this pool may sign in.',
        example: 'us-east-1_AbCdEfGhI',
      },
      {
        name: 'clientID',
        label: 'App client',
        about: 'Its id. A client of the user pool, made for a single-page application.',
      },
      {
        name: 'identityPoolID',
        label: 'Identity pool',
        about: 'Its id. The identity pool that the user pool is a provider of.',
        example: 'us-east-1:00000000-0000-…',
      },
      ADMIN_GROUPS,
      OWN_TOKEN,
    ],
    check: {
      label: 'Check with AWS keys',
      fields: [
        { name: 'accessKey', label: 'Access key', about: 'Used once to look up the pool, never stored.' },
        { name: 'secretKey', label: 'Secret key', isSecret: true },
      ],
    },
    faultsOf: idpFaults,
    // A body with an issuer is one of the other form.
    bodyOf: ({ issuer, audience, groupsClaim, scopes, ...pool }) => pool,
  },
  issuer: {
    label: 'Another OpenID Connect provider',
    about:
      'Keycloak, Okta, Entra ID and others. People sign in there. Takes the issuer’s address, a client, and the groups of administrators.',
    fields: [
      {
        name: 'issuer',
        label: 'Issuer',
        about: 'The address of the provider, as its tokens name it.',
        example: 'https://login.example.com/realms/batch',
      },
      {
        name: 'clientID',
        label: 'Client',
        about: 'Its id. A public client with the authorization code flow and PKCE.',
      },
      {
        name: 'audience',
        label: 'Audience',
        about: 'Optional. Leave empty if the provider issues its access tokens for the client.',
      },
      {
        name: 'groupsClaim',
        label: 'Groups claim',
        about: 'Optional. Where a token has the groups of its user: a name or a path. Left empty, it is “groups”.',
        example: 'realm_access.roles',
      },
      {
        name: 'scopes',
        label: 'Scopes',
        about: 'Optional. What the dashboard asks for. Left empty, it is “openid”.',
        example: 'openid offline_access',
      },
      ADMIN_GROUPS,
      OWN_TOKEN,
    ],
    faultsOf: (values) => providerFaults(providerOf(values)),
    bodyOf: providerOf,
  },
};

/** What is wrong, by field. */
export function faultsIn({ fields, faultsOf }: ProviderForm, values: Values): Faults {
  const exampleOf = (name: string): string | undefined => fields.find((field) => field.name === name)?.example;
  const faults = Object.entries(faultsOf(values)).map(([name, fault]) => [name, PLAIN[fault] ?? fault]);
  return withMissing(Object.fromEntries(faults), values, exampleOf);
}

/** Faults that show a form to programmers, in words. */
const PLAIN: Readonly<Record<string, string>> = {
  'is not <region>_<id>': 'is not the id of a pool: a region, an underscore and more, such as us-east-1_AbCdEfGhI',
  'is not <region>:<uuid>': 'is not the id of an identity pool: a region, a colon and 36 characters',
  'is not a client id': 'has other signs than A-Z, a-z, 0-9 and _ + . -',
};

function providerOf({ issuer, clientID, adminGroups, ...rest }: Values): ProviderEnable {
  const { audience, groupsClaim, scopes, token } = rest;
  const given = Object.entries({ audience, groupsClaim, scopes, token }).filter(([, text]) => text !== '');
  return { issuer, clientID, adminGroups, ...Object.fromEntries(given) };
}

export function valuesOf({ enabled, ...known }: IdpSettings): Values {
  const values: Record<string, string> = { ...NO_VALUES };
  for (const [name, value] of Object.entries(known)) if (name in values) values[name] = value ?? '';
  return values as Values;
}

/** Secrets are sent once. */
export const withoutSecrets = (values: Values): Values => ({ ...values, accessKey: '', secretKey: '', token: '' });
