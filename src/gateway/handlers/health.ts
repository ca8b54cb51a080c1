/** Health, the server's own figures, and the description of the API. */
import { ERROR_CATALOGUE } from '../../base/errors.ts';
import { openApiText } from '../api/openapi.ts';
import type { Handler } from './handler.ts';

export const livez: Handler = ({ call }) => {
  call.json(200, { status: 'alive', reasons: [] });
};

/** 200 while the server does its work, also when it doubts what it sees (the reasons say what); 503 when it does not. */
export const readyz: Handler = async ({ call }, { main }) => {
  const { ready, reasons } = await main.readiness();
  if (ready) call.json(200, { status: 'ready', reasons });
  else {
    const { status, code, message } = ERROR_CATALOGUE.overloaded;
    call.json(status, { statusCode: status, errorCode: code, message, fields: { reasons } }, [['retry-after', '1']]);
  }
};

export const getMetricsText: Handler = async ({ call }, { main }) => {
  call.send(200, 'text/plain; version=0.0.4; charset=utf-8', await main.metricsText());
};

export const getOpenApi: Handler = ({ call }) => {
  call.send(200, 'application/json; charset=utf-8', openApiText());
};
