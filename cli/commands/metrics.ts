/** `cairn metrics …` */
import type { CommandAction } from '../../src/base/command-input.ts';
import { printRows, printTable } from '../output/rows.ts';
import { printBytes } from '../output/stdout.ts';
import type { Row } from '../output/values.ts';
import { apiCommand, queryOf, type Session, segment } from './session.ts';

interface SummaryItem {
  readonly point: { readonly time: string; readonly value: number };
  readonly metaData: { readonly queueName: string };
}

const SUMMARY = '/api/v1/metrics/summary';

export const metricsSummary: CommandAction = apiCommand(async (session) => {
  const { client, screen } = session;
  const query = queryOf(session, ['start', 'end']);
  if (screen.form !== 'table') {
    await printAs(session, SUMMARY, query);
    return undefined;
  }
  const { items } = await client.json<{ items: Record<string, readonly SummaryItem[]> }>(SUMMARY, { query });
  const rows = Object.entries(items)
    .filter(([key]) => key.startsWith('metricDef-'))
    .flatMap(([key, list]) => list.map((item) => ({ metric: key.slice('metricDef-'.length), ...item })));
  const columns = [
    { name: 'metric' },
    { name: 'queue', path: 'metaData.queueName' },
    { name: 'value', path: 'point.value' },
    { name: 'newest', path: 'point.time' },
  ];
  await printTable(screen, columns, rows);
  return undefined;
});

const METRICS = '/api/v1/metric';
const PAGE = '10000';

export const metricsList: CommandAction = apiCommand(async (session) => {
  const { client, screen } = session;
  const query = queryOf(session, ['object', 'definition', 'q', 'limit']);
  if (screen.form === 'json') {
    await printBytes((await client.ask(METRICS, { query })).bytes);
    return undefined;
  }
  const columns = [
    { name: 'id' },
    { name: 'object', path: 'object.id' },
    { name: 'type', path: 'object.type' },
    { name: 'definition', path: 'definition.id' },
    { name: 'name' },
  ];
  await printRows(screen, columns, pagesOf(session, query));
  return undefined;
});

/** A page at a time: a fleet has a million series. */
async function* pagesOf(
  { client }: Session,
  query: Record<string, string | readonly string[] | undefined>,
): AsyncGenerator<Row> {
  let cursor: string | undefined;
  do {
    const { bytes, headers } = await client.ask(METRICS, {
      query: { ...query, limit: query['limit'] ?? PAGE, cursor },
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of bytes) chunks.push(chunk);
    yield* JSON.parse(Buffer.concat(chunks).toString('utf8')) as Row[];
    const [, next] = /<([^>]+)>;\s*rel="next"/.exec(String(headers['link'] ?? '')) ?? [];
    cursor = next === undefined ? undefined : (new URL(next, client.server).searchParams.get('cursor') ?? undefined);
  } while (cursor !== undefined && query['limit'] === undefined);
}

export const metricsSeries: CommandAction = apiCommand(async (session) => {
  const { client, screen, args } = session;
  const [object = '', definition = ''] = args;
  const path = `/api/v1/metricValue/${segment(object)}/${segment(definition)}`;
  const query = queryOf(session, ['interval', 'start', 'end', 'agg']);
  if (screen.form !== 'table') {
    await printAs(session, path, query);
    return undefined;
  }
  const { points } = await client.json<{ points: Row[] }>(path, { query });
  await printTable(screen, [{ name: 'time' }, { name: 'value' }], points);
  return undefined;
});

async function printAs(
  { client, screen }: Session,
  path: string,
  query: Record<string, string | readonly string[] | undefined>,
): Promise<void> {
  const format = screen.form === 'json' ? undefined : screen.form;
  await printBytes((await client.ask(path, { query: { ...query, format } })).bytes);
}
