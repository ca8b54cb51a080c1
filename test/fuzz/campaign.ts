/** Sends requests to a server, and says what is wrong with what comes back. */
import type { Exchange, RawRequest, RawResponse } from './raw-connection.ts';
import { exchange } from './raw-connection.ts';

/** Of our own making: beside these a 5xx is a bug. */
const WANTED_5XX = new Set([503, 507]);
/** uWS refuses what is no HTTP by itself, in words of its own, and hangs up. */
const PARSER_REFUSALS = new Set([400, 431, 505]);

/** Answers by status; those that the HTTP library cut without one are counted as `cut`. */
export type Tally = Map<number | 'cut', number>;

/** What the request shows to be wrong; undefined where all is as it should be. */
export async function faultOf(port: number, request: RawRequest, tally?: Tally): Promise<string | undefined> {
  let outcome: Exchange;
  try {
    outcome = await exchange(port, request);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  if (outcome.responses.length === 0) count(tally, 'cut');
  for (const { status } of outcome.responses) count(tally, status);
  if (outcome.responses.length < request.methods.length && !outcome.isClosed) return 'there is no answer';
  for (const response of outcome.responses) {
    const fault = responseFault(response);
    if (fault !== undefined) return `${fault}: ${response.status} ${response.body.toString('utf8').slice(0, 300)}`;
  }
  return undefined;
}

function count(tally: Tally | undefined, status: number | 'cut'): void {
  tally?.set(status, (tally.get(status) ?? 0) + 1);
}

function responseFault({ status, headers, body }: RawResponse): string | undefined {
  if (status === 0) return 'the answer is no HTTP';
  if (status >= 500 && !WANTED_5XX.has(status) && !(status === 505 && headers.get('connection') === 'close'))
    return 'a fault of the server';
  if (status < 400 || body.length === 0) return undefined;
  if (PARSER_REFUSALS.has(status) && headers.get('connection') === 'close' && body.includes('uWebSockets'))
    return undefined;
  return errorFault(status, body);
}

/** The contract's form. */
function errorFault(status: number, body: Buffer): string | undefined {
  try {
    const { statusCode, errorCode, message, ...rest } = JSON.parse(body.toString('utf8')) as Record<string, unknown>;
    const others = Object.keys(rest).filter((name) => name !== 'fields');
    const isRight =
      statusCode === status && Number.isInteger(errorCode) && typeof message === 'string' && others.length === 0;
    return isRight ? undefined : 'not the form of an error';
  } catch {
    return 'an error that is not JSON';
  }
}
