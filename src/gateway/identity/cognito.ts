/** The door to the AWS SDK: looks up the user pool, its app client and its groups with the caller's own credentials. */
import {
  CognitoIdentityProviderClient,
  DescribeUserPoolClientCommand,
  DescribeUserPoolCommand,
  GetGroupCommand,
} from '@aws-sdk/client-cognito-identity-provider';

export interface PoolLookup {
  readonly region: string;
  readonly userPoolID: string;
  readonly clientID: string;
  readonly adminGroups: readonly string[];
  readonly accessKey: string;
  readonly secretKey: string;
  /** Another place than the region's own. */
  readonly endpoint: string | undefined;
}

type Field = 'userPoolID' | 'clientID' | 'adminGroups';

const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 5_000;
const ATTEMPTS_MAX = 2;
/** One call each; a list of administrators' groups is short. */
const GROUPS_LOOKED_UP_MAX = 16;

/** What is wrong, by field; empty where pool and client exist and at least one of the groups does. */
export async function cognitoFaults(lookup: PoolLookup): Promise<Record<string, string>> {
  const client = new CognitoIdentityProviderClient({
    region: lookup.region,
    credentials: { accessKeyId: lookup.accessKey, secretAccessKey: lookup.secretKey },
    maxAttempts: ATTEMPTS_MAX,
    requestHandler: { connectionTimeout: CONNECT_TIMEOUT_MS, requestTimeout: ANSWER_TIMEOUT_MS },
    ...(lookup.endpoint === undefined ? {} : { endpoint: lookup.endpoint }),
  });
  const UserPoolId = lookup.userPoolID;
  try {
    const pool = await faultOf('userPoolID', client.send(new DescribeUserPoolCommand({ UserPoolId })));
    if (pool) return pool;
    const ClientId = lookup.clientID;
    const app = await faultOf('clientID', client.send(new DescribeUserPoolClientCommand({ UserPoolId, ClientId })));
    if (app) return app;
    return (await groupsFault(client, lookup)) ?? {};
  } finally {
    client.destroy();
  }
}

/** One that exists is enough: others may be made later, but without any nobody could ever be an administrator. */
async function groupsFault(
  client: CognitoIdentityProviderClient,
  { userPoolID, adminGroups }: PoolLookup,
): Promise<Record<string, string> | undefined> {
  let last: Record<string, string> | undefined;
  for (const GroupName of adminGroups.slice(0, GROUPS_LOOKED_UP_MAX)) {
    last = await faultOf('adminGroups', client.send(new GetGroupCommand({ UserPoolId: userPoolID, GroupName })));
    if (!last) return undefined;
  }
  return last;
}

async function faultOf(field: Field, call: Promise<unknown>): Promise<Record<string, string> | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    return reasonOf(field, error);
  }
}

const NOT_FOUND: Readonly<Record<Field, string>> = {
  userPoolID: 'the pool is not known there',
  clientID: 'the pool has no such client',
  adminGroups: 'the pool has none of these groups',
};

/** By the SDK's names only: its messages may quote what was sent. */
function reasonOf(field: Field, error: unknown): Record<string, string> {
  const name = error instanceof Error ? error.name : '';
  switch (name) {
    case 'ResourceNotFoundException':
    case 'InvalidParameterException':
    case 'GroupNotFoundException':
      return { [field]: NOT_FOUND[field] };
    case 'UnrecognizedClientException':
    case 'InvalidSignatureException':
    case 'InvalidClientTokenId':
    case 'IncompleteSignature':
      return { accessKey: 'the pool’s provider does not accept the credentials' };
    case 'NotAuthorizedException':
    case 'AccessDeniedException':
      return { accessKey: `the credentials may not look up ${field}` };
    default:
      return { [field]: `cannot be looked up with the credentials (${/^\w{1,64}$/.test(name) ? name : 'no answer'})` };
  }
}
