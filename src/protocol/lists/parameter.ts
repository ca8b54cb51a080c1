/** A parameter of a query or a path, as the OpenAPI document describes it. */
import { z } from 'zod';

export interface Parameter {
  readonly description: string;
  /** Of the value, once it is read from its text. */
  readonly schema: z.ZodType;
  readonly example: string | number | boolean;
  /** Without it the call is refused. Parameters of a path always are. */
  readonly isRequired?: true;
}

export function parameter(description: string, schema: z.ZodType, example: Parameter['example']): Parameter {
  return { description, schema, example };
}

export function flagParameter(description: string): Parameter {
  return parameter(description, z.boolean(), true);
}

export function textParameter(description: string, example: string): Parameter {
  return parameter(description, z.string().max(256), example);
}
