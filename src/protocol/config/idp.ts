/** The identity provider's settings, as endpoints 1 to 3 carry them. */
import { z } from 'zod';
import { textSchema } from '../text.ts';
import type { Config } from './config.ts';

export const idpEnableSchema = z.object({
  region: textSchema,
  userPoolID: textSchema,
  clientID: textSchema,
  identityPoolID: textSchema,
  adminGroups: textSchema,
  accessKey: textSchema.nullish(),
  secretKey: textSchema.nullish(),
  token: textSchema.nullish(),
});
export type IdpEnable = z.infer<typeof idpEnableSchema>;

export const idpSettingsSchema = z.object({
  enabled: z.boolean(),
  region: z.string(),
  userPoolID: z.string(),
  clientID: z.string(),
  identityPoolID: z.string(),
  adminGroups: z.string(),
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
  };
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
