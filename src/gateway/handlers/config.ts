/** Configuration, its history, and the log configuration (endpoints 4, 5, 9, 10 and the deprecated alias). */

import { z } from 'zod';
import { CodedError } from '../../base/errors.ts';
import { addressOf, type Config } from '../../protocol/config/config.ts';
import { byCurrentNames } from '../../protocol/config/former-names.ts';
import { warningsOf } from '../../protocol/config/warnings.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { validate } from '../body/parse-body.ts';
import { namesEtag } from '../http/etag.ts';
import type { HttpExchange } from '../http/exchange.ts';
import { queuesSeenBy } from '../identity/access.ts';
import { keyFileWarning } from '../listener/key-file.ts';
import { authorOf, type Handler, type HandlerServices, warningHeadersOf } from './handler.ts';

/** Not a record: zod drops a key called `__proto__` from one, and an unknown key must be refused, whatever its name. */
const objectSchema = z.custom<Record<string, unknown>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'is not an object',
);
const kvSchema = z.object({ kvMap: objectSchema });
/** Entries of one call; there are fewer fields than this. */
const ENTRIES_MAX = 200;

/**
 * What crosses to main, where the fields' rules are: no field holds more than a list or a map of texts, and a value of
 * ten thousand levels would overflow the stack of the code that copies it. A deeper value is as invalid as an empty object.
 */
function shallow(entries: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const flat = (value: unknown): unknown => (typeof value === 'object' && value !== null ? {} : value);
  const level = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(flat);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, flat(inner)]));
  };
  return Object.fromEntries(Object.entries(entries).map(([key, value]) => [key, level(value)]));
}

/** By today's names; a predecessor's scripts use others. */
function named(entries: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { entries: current, twice } = byCurrentNames(entries);
  if (twice.length === 0) return current;
  throw new CodedError('invalid', undefined, Object.fromEntries(twice.map((name) => [name, 'is given twice'])));
}

export const getConfig: Handler = ({ exchange }, { host }) => {
  const { config, configVersion } = host.shared;
  const isBound = queuesSeenBy(exchange.principal) !== null;
  const etag = `"config-${config.id}-${configVersion}${isBound ? '-bound' : ''}"`;
  if (namesEtag(exchange.headers['if-none-match'], etag)) exchange.send(304, '', '', [['etag', etag]]);
  else if (isBound) exchange.json(200, withoutSecurity(config), [['etag', etag]]);
  else sendConfig(exchange, config, etag);
};

/** Groups, roles and the provider are not for callers who are bound to queues: roles name queues of others. */
function withoutSecurity({ security: _, ...rest }: Config): Omit<Config, 'security'> {
  return rest;
}

function sendConfig(exchange: HttpExchange, config: Config, etag: string): void {
  exchange.json(200, config, [['etag', etag]]);
}

const KEY_FILE_PATHS = ['security.certFile', 'security.keyFile', 'addr'];

async function warningHeaders(config: Config, entries: object): Promise<[string, string][]> {
  const warnings = warningsOf(config, Object.keys(entries));
  const isServed = addressOf(config).scheme === 'https' && KEY_FILE_PATHS.some((path) => Object.hasOwn(entries, path));
  const ofKey = isServed ? await keyFileWarning(config.security.keyFile) : undefined;
  return warningHeadersOf(ofKey === undefined ? warnings : [...warnings, ofKey]);
}

export const putConfigKv: Handler = async ({ exchange, body }, { main }) => {
  const { kvMap } = validate(kvSchema, body);
  mustBeFew(kvMap);
  const entries = shallow(named(kvMap));
  const config = await main.changeConfig('text', entries, authorOf(exchange));
  exchange.json(200, config, await warningHeaders(config, entries));
};

export const putCkptConfig: Handler = async ({ exchange, body }, { main }) => {
  const fields = validate(objectSchema, body);
  mustBeFew(fields);
  const entries = named(Object.fromEntries(Object.entries(fields).map(([name, value]) => [`ckpt.${name}`, value])));
  const config = await changeUnderPrefix(main, 'ckpt.', entries, exchange);
  exchange.json(200, config, [['deprecation', 'true'], ...(await warningHeaders(config, entries))]);
};

export const getLogConfig: Handler = ({ exchange }, { host }) => {
  const { level, maxSizeMB, maxBackups } = host.shared.config.log;
  exchange.json(200, { level, maxSizeMB, maxBackups });
};

const LOG_FIELDS = ['level', 'maxSizeMB', 'maxBackups'];

export const putLogConfig: Handler = async ({ exchange, body }, { main }) => {
  const fields = validate(objectSchema, body);
  mustBeFew(fields);
  const unknown = Object.keys(fields).filter((name) => !LOG_FIELDS.includes(name));
  if (unknown.length > 0) {
    throw new CodedError(
      'invalid',
      undefined,
      Object.fromEntries(unknown.map((name) => [name, 'is not a log setting'])),
    );
  }
  const entries = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`log.${name}`, value]));
  const { log } = await changeUnderPrefix(main, 'log.', entries, exchange);
  exchange.json(200, { level: log.level, maxSizeMB: log.maxSizeMB, maxBackups: log.maxBackups });
};

export const getConfigHistory: Handler = ({ exchange }, { host }) => {
  host.reader.refresh();
  const changes: unknown[] = [];
  for (const { value } of host.reader.range('configHistory', { reverse: true, limit: HISTORY_SHOWN })) {
    if (isDamaged(value)) continue;
    changes.push(...(JSON.parse(Buffer.from(value).toString('utf8')) as unknown[]).reverse());
    if (changes.length >= HISTORY_SHOWN) break;
  }
  exchange.json(200, changes.slice(0, HISTORY_SHOWN));
};

const HISTORY_SHOWN = 100;

/** The caller named fields without their prefix, so errors name them without it too. */
async function changeUnderPrefix(
  main: HandlerServices['main'],
  prefix: string,
  entries: Record<string, unknown>,
  exchange: HttpExchange,
): Promise<Config> {
  try {
    return await main.changeConfig('json', shallow(entries), authorOf(exchange));
  } catch (error) {
    if (!(error instanceof CodedError) || error.name !== 'invalid' || !error.fields) throw error;
    const fields = Object.entries(error.fields).map(([path, reason]) => [
      path.startsWith(prefix) ? path.slice(prefix.length) : path,
      reason,
    ]);
    throw new CodedError('invalid', undefined, Object.fromEntries(fields));
  }
}

function mustBeFew(entries: object): void {
  if (Object.keys(entries).length > ENTRIES_MAX)
    throw new CodedError('invalid', undefined, { body: `has more than ${ENTRIES_MAX} entries` });
}
