/** The forms of bodies and answers that routes of several resources share. */
import { z } from 'zod';
import { idSchema } from '../../../protocol/id.ts';
import { flagParameter, parameter } from '../../../protocol/lists/parameter.ts';
import type { RouteAnswer, RouteBody } from '../../http/route.ts';

export const MIB = 1024 * 1024;

export const JSON_TYPE = 'application/json';

export const TEXT_TYPE = 'text/plain; charset=utf-8';

export function json(schema: z.ZodType | null, description: string): RouteAnswer {
  return { description, contentType: JSON_TYPE, schema };
}

export function text(description: string): RouteAnswer {
  return { description, contentType: TEXT_TYPE, schema: textFileSchema };
}

export function jsonBody(schema: z.ZodType, sizeMax = MIB): RouteBody {
  return { schema, kinds: ['json', 'msgpack'], sizeMax };
}

export const LIST_FORMS = { alsoAs: ['application/x-ndjson', 'text/csv'], hasEtag: true } as const;

export const LOG_QUERY = {
  tail: parameter('Number of lines to return from the end of the log', z.int().min(0), 100),
  q: parameter('Only lines that contain this text', z.string().max(1_024), 'error'),
  words: parameter(
    'Only lines that contain all of these words, in any order and case; name=value finds a field of a JSON line, "two words" stand together, -word leaves lines out',
    z.string().max(1_024),
    'job=train-1 failed',
  ),
  follow: flagParameter('true: keep sending what is appended, until the job or node ends or the client disconnects'),
};

export const SERIES_FORMAT = parameter(
  'json, csv or ndjson; defaults to the Accept header, then json',
  z.enum(['json', 'csv', 'ndjson']),
  'json',
);

const textFileSchema = z
  .string()
  .meta({ id: 'TextFile', description: 'Lines of text in UTF-8', examples: ['first line\nsecond line\n'] });

export const csvSchema = z.string().meta({
  id: 'CsvText',
  description: 'Comma-separated values (RFC 4180) with a head line',
  examples: ['id,status\r\njob-1,Running\r\n'],
});

export const ndjsonSchema = z.string().meta({
  id: 'NdjsonText',
  description: 'JSON, one value on each line',
  examples: ['{"id":"job-1"}\n{"id":"job-2"}\n'],
});

export const bytesSchema = z.string().meta({
  id: 'Bytes',
  description: 'Bytes as they are',
  format: 'binary',
  examples: ['first line\n'],
});

/** What a call answers that only says which object it was about. */
export const idReplySchema = z
  .looseObject({ id: idSchema })
  .meta({ id: 'IdReply', description: 'The object that the call was about', examples: [{ id: 'node-1' }] });
