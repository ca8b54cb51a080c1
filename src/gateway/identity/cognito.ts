/** The door to the AWS SDK: looks up the user pool, its app client and its groups with the caller's own credentials. */
import {
  CognitoIdentityProviderClient,
  DescribeUserPoolClientCommand,
  DescribeUserPoolCommand,
  ListGroupsCommand,
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

export interface PoolAnswer {
  /** What is wrong, by field; empty where pool and client exist. */
  readonly faults: Readonly<Record<string, string>>;
  /** For the log. Groups may be made later, so none of them is no fault. */
  readonly warning?: string;
}

type Field = 'userPoolID' | 'clientID';

const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 5_000;
const ATTEMPTS_MAX = 2;
/** Of 60 groups each; a pool may have 10,000, and this is a courtesy. */
const GROUP_PAGES_MAX = 10;

export async function lookUpPool(lookup: PoolLookup): Promise<PoolAnswer> {
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
    if (pool) return { faults: pool };
    const ClientId = lookup.clientID;
    const app = await faultOf('clientID', client.send(new DescribeUserPoolClientCommand({ UserPoolId, ClientId })));
    if (app) return { faults: app };
    const known = await hasGroup(client, lookup);
    return known === false
      ? { faults: {}, warning: 'none of adminGroups exists in the pool: nobody is an administrator yet' }
      : { faults: {} };
  } finally {
    client.destroy();
  }
}

/** Whether the pool has one of the groups; undefined where it does not say. */
async function hasGroup(
  client: CognitoIdentityProviderClient,
  { userPoolID, adminGroups }: PoolLookup,
): Promise<boolean | undefined> {
  try {
    let NextToken: string | undefined;
    for (let page = 0; page < GROUP_PAGES_MAX; page++) {
      const asked = new ListGroupsCommand({ UserPoolId: userPoolID, Limit: 60, ...(NextToken ? { NextToken } : {}) });
      const answer = await client.send(asked);
      if (answer.Groups?.some(({ GroupName }) => adminGroups.includes(GroupName ?? ''))) return true;
      NextToken = answer.NextToken;
      if (!NextToken) return false;
    }
    return undefined;
  } catch {
    return undefined;
  }
}

async function faultOf(field: Field, exchange: Promise<unknown>): Promise<Record<string, string> | undefined> {
  try {
    await exchange;
    return undefined;
  } catch (error) {
    return reasonOf(field, error);
  }
}

const NOT_FOUND: Readonly<Record<Field, string>> = {
  userPoolID: 'the pool is not known there',
  clientID: 'the pool has no such client',
};

/** By the SDK's names only: its messages may quote what was sent. */
function reasonOf(field: Field, error: unknown): Record<string, string> {
  const name = error instanceof Error ? error.name : '';
  switch (name) {
    case 'ResourceNotFoundException':
    case 'InvalidParameterException':
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
