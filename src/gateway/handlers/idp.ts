/** The identity provider's settings (endpoints 1 to 3). */
import { idpEnableSchema, idpSettingsOf } from '../../protocol/config/idp.ts';
import { signInHeaders } from '../api/response-headers.ts';
import { validate } from '../body/parse-body.ts';
import { authorOf, type Handler } from './handler.ts';

export const getIdp: Handler = ({ exchange }, { host }) => {
  const { config } = host.shared;
  const signIn = config.security.idp.enabled ? signInHeaders(config, process.env) : [];
  exchange.json(200, idpSettingsOf(config), signIn);
};

/** Everything that is wrong is 422 with the bare message of interface.md; `fields` is an addition. */
export const enableIdp: Handler = async ({ exchange, body }, { main }) => {
  const settings = validate(idpEnableSchema, body);
  await main.enableIdp(settings, authorOf(exchange));
  const { region, userPoolID, clientID, identityPoolID, adminGroups } = settings;
  const echo = { region, userPoolID, clientID, identityPoolID, adminGroups };
  exchange.json(
    200,
    { ...echo, accessKey: settings.accessKey ?? '', secretKey: settings.secretKey ?? '', token: settings.token ?? '' },
    [['cache-control', 'no-store']],
  );
};

export const disableIdp: Handler = async ({ exchange }, { main }) => {
  exchange.json(200, await main.disableIdp(authorOf(exchange)));
};
