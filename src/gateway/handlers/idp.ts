/** The identity provider's settings (endpoints 1 to 3). */
import { CodedError } from '../../base/errors.ts';
import {
  bothFormsFaults,
  idpEnableSchema,
  idpSettingsOf,
  namesIssuer,
  providerEnableSchema,
} from '../../protocol/config/idp.ts';
import { signInHeaders } from '../api/response-headers.ts';
import { validate } from '../body/parse-body.ts';
import { authorOf, type Handler, warningHeadersOf } from './handler.ts';

export const getIdp: Handler = ({ exchange }, { host }) => {
  const { config } = host.shared;
  const signIn = config.security.idp.enabled ? signInHeaders(host.shared, process.env) : [];
  exchange.json(200, idpSettingsOf(config), signIn);
};

/** Everything that is wrong is 422 with the bare message of interface.md; `fields` is an addition. */
export const enableIdp: Handler = async (input, services) => {
  if (namesIssuer(input.body)) await enableProvider(input, services);
  else await enablePool(input, services);
};

const enablePool: Handler = async ({ exchange, body }, { main }) => {
  const settings = validate(idpEnableSchema, body);
  const warnings = await main.enableIdp(settings, authorOf(exchange));
  const { region, userPoolID, clientID, identityPoolID, adminGroups } = settings;
  const echo = { region, userPoolID, clientID, identityPoolID, adminGroups };
  exchange.json(
    200,
    { ...echo, accessKey: settings.accessKey ?? '', secretKey: settings.secretKey ?? '', token: settings.token ?? '' },
    [['cache-control', 'no-store'], ...warningHeadersOf(warnings)],
  );
};

/** The answer repeats what was sent, as that of the other form does. */
const enableProvider: Handler = async ({ exchange, body }, { main }) => {
  const both = bothFormsFaults(body);
  if (Object.keys(both).length > 0) throw new CodedError('invalid', undefined, both);
  const settings = validate(providerEnableSchema, body);
  const warnings = await main.enableIdp(settings, authorOf(exchange));
  exchange.json(200, settings, [['cache-control', 'no-store'], ...warningHeadersOf(warnings)]);
};

export const disableIdp: Handler = async ({ exchange }, { main }) => {
  exchange.json(200, await main.disableIdp(authorOf(exchange)));
};
