/** The forms of bodies and answers that routes of several resources share. */
import { z } from 'zod';
import type { RouteAnswer, RouteBody } from '../../http/route.ts';

export const MIB = 1024 * 1024;

export const JSON_TYPE = 'application/json';

export const TEXT_TYPE = 'text/plain; charset=utf-8';

export function json(schema: z.ZodType | null, description: string): RouteAnswer {
  return { description, contentType: JSON_TYPE, schema };
}

export function text(description: string): RouteAnswer {
  return { description, contentType: TEXT_TYPE, schema: null };
}

export function jsonBody(schema: z.ZodType, sizeMax = MIB): RouteBody {
  return { schema, kinds: ['json', 'msgpack'], sizeMax };
}

export const LIST_FORMS = { alsoAs: ['application/x-ndjson', 'text/csv'], hasEtag: true } as const;

export const LOG_QUERY = {
  tail: 'Number of lines to return from the end of the log',
  q: 'Only lines that contain this text',
  follow: 'true: keep sending what is appended, until the job or node ends or the client disconnects',
};

export const configSchema = z
  .looseObject({ addr: z.string(), id: z.string(), staticFolder: z.string() })
  .meta({ title: 'Configuration' });
