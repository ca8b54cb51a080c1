/** Health, the server's own figures, and the description of the API. */
import { ERROR_CODES } from '../../base/error-codes.ts';
import { openApiText } from '../api/openapi.ts';
import { namesEtag } from '../http/etag.ts';
import { queuesSeenBy } from '../identity/access.ts';
import { metricsOfQueues } from '../lists/metrics-of-queues.ts';
import type { Handler } from './handler.ts';

export const livez: Handler = ({ exchange }) => {
  exchange.json(200, { status: 'alive', reasons: [] });
};

/** 200 while the server does its work, also when it doubts what it sees (the reasons say what); 503 when it does not. */
export const readyz: Handler = async ({ exchange }, { main }) => {
  const { ready, reasons, cluster } = await main.readiness();
  const { isAway = false, ...place } = cluster ?? {};
  if (ready && !isAway) exchange.json(200, { status: 'ready', reasons, ...place });
  else {
    const { status, code, message } = isAway ? ERROR_CODES.notLeader : ERROR_CODES.overloaded;
    exchange.json(status, { statusCode: status, errorCode: code, message, fields: { reasons }, ...place }, [
      ['retry-after', '1'],
    ]);
  }
};

export const getMetricsText: Handler = async ({ exchange }, { main }) => {
  const text = await main.metricsText();
  const queues = queuesSeenBy(exchange.principal);
  exchange.send(200, 'text/plain; version=0.0.4; charset=utf-8', queues ? metricsOfQueues(text, queues) : text);
};

export const getOpenApi: Handler = ({ exchange }) => {
  const { bytes, etag } = openApiText();
  if (namesEtag(exchange.headers['if-none-match'], etag)) exchange.send(304, '', '', [['etag', etag]]);
  else exchange.send(200, 'application/json; charset=utf-8', bytes, [['etag', etag]]);
};
