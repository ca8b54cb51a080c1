/** `cairn config …` */
import type { CommandAction } from '../../src/base/command-input.ts';
import { UsageError } from '../../src/base/usage-error.ts';
import { EXIT, Failure } from '../api/failure.ts';
import { printJson, printObject, printPairs } from '../output/rows.ts';
import { cellOf, flatten, valueAt } from '../output/values.ts';
import { apiCommand, printArray } from './session.ts';

export const configGet: CommandAction = apiCommand(async ({ client, screen, args: [key] }) => {
  const text = await client.text('/api/v1/config');
  if (key === undefined) {
    await printObject(screen, text);
    return undefined;
  }
  const value = valueAt(JSON.parse(text), key);
  if (value === undefined) throw new Failure(`there is no setting ${key}; cairn config get lists them`, EXIT.notFound);
  const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (screen.form === 'json' || screen.form === 'ndjson') await printJson(screen, `${JSON.stringify(value)}\n`);
  else if (isGroup) await printPairs(screen, flatten(value, key));
  else await screen.print(`${cellOf(value)}\n`);
  return undefined;
});

export const configSet: CommandAction = apiCommand(async ({ client, screen, args }) => {
  const kvMap: Record<string, string> = {};
  for (const pair of args) {
    const at = pair.indexOf('=');
    if (at < 1) throw new UsageError(`cannot use ${pair}: want KEY=VALUE, such as node.ttl=10m`);
    kvMap[pair.slice(0, at)] = pair.slice(at + 1);
  }
  const { headers, bytes } = await client.ask('/api/v1/configKV', { method: 'PUT', body: { kvMap } });
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const warnings = headers['x-cairn-warning'];
  for (const warning of [warnings ?? []].flat()) process.stderr.write(`cairn config set: warning: ${warning}\n`);
  if (screen.form !== 'table') await printObject(screen, text);
  else {
    const config: unknown = JSON.parse(text);
    await printPairs(
      screen,
      Object.keys(kvMap).map((key) => [key, cellOf(valueAt(config, key))]),
    );
  }
  return undefined;
});

export const configHistory: CommandAction = apiCommand(async (session) => {
  const columns = [
    { name: 'version' },
    { name: 'time' },
    { name: 'who' },
    { name: 'key' },
    { name: 'old' },
    { name: 'new' },
  ];
  await printArray(session, '/api/v1/config/history', columns);
  return undefined;
});
