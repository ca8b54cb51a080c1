/**
 * Checks the identity provider's settings before they are taken up: their form, the key set, and, where a token is given,
 * that it verifies and that its owner stays an administrator. Credentials are used here and forgotten here.
 */
import { CodedError } from '../base/errors.ts';
import type { Config } from '../protocol/config.ts';
import { adminGroupsOf, type IdpEnable, idpFaults } from '../protocol/idp.ts';
import { IdpClient, idpTarget } from './idp-client.ts';

/** The part of the configuration that the settings make; throws `invalid` with the reason by field. */
export async function checkedIdp(settings: IdpEnable): Promise<Config['security']['idp']> {
  const faults = idpFaults(settings);
  if (Object.keys(faults).length > 0) throw new CodedError('invalid', undefined, faults);
  const { region, userPoolID, clientID, identityPoolID } = settings;
  const adminGroups = adminGroupsOf(settings.adminGroups);
  const client = new IdpClient(idpTarget({ region, userPoolID, clientID }));
  try {
    await client.probe();
  } catch {
    throw new CodedError('invalid', undefined, { userPoolID: 'the key set of the pool cannot be fetched' });
  }
  if (settings.token) await checkToken(client, settings.token, adminGroups);
  return { enabled: true, userPoolID, identityPoolID, clientID, adminGroups };
}

async function checkToken(client: IdpClient, token: string, adminGroups: readonly string[]): Promise<void> {
  let groups: readonly string[] | null;
  try {
    ({ groups } = await client.verify(token));
  } catch (error) {
    const reason = error instanceof CodedError ? (error.detail ?? 'it does not verify') : 'it does not verify';
    throw new CodedError('invalid', undefined, { token: `does not verify under these settings: ${reason}` });
  }
  if (!groups?.some((group) => adminGroups.includes(group))) {
    throw new CodedError('invalid', undefined, {
      adminGroups: 'none of them is a group of the token: its owner would be locked out',
    });
  }
}
