/** How a call that failed is answered: in the contract's form, and where the cause is ours, with an id that the log has. */
import { randomBytes } from 'node:crypto';
import {
  CodedError,
  type ErrorName,
  errorBodyOf,
  errorOf,
  failureOf,
  failureOfPart,
  isOutcomeUnknown,
} from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { HttpExchange } from './exchange.ts';
import type { HttpResponse } from './uws.ts';

const OVERLOADED_BODY = JSON.stringify(errorBodyOf({ name: 'overloaded' }));

export function failCall(exchange: HttpExchange, thrown: unknown, log: Logger): void {
  const error = thrown instanceof CodedError && exchange.isTaken ? errorOf(failureOfPart(thrown)) : thrown;
  const ofDisk = error instanceof CodedError ? OF_THE_DISK[error.name] : undefined;
  if (error instanceof CodedError && error.name === 'outcomeUnknown') failUnknown(exchange, error, log);
  else if (error instanceof CodedError && isOutcomeUnknown(error) && isQuestion(exchange))
    exchange.fail({ name: error.name });
  else if (error instanceof CodedError && ofDisk) failByDisk(exchange, error, ofDisk, log);
  else if (error instanceof CodedError && error.name !== 'internal') exchange.fail(failureOf(error));
  else {
    const id = newId();
    log.error(
      { kind: 'bug', id, error, method: exchange.method, path: exchange.path },
      'a request failed inside the server',
    );
    exchange.fail({ name: 'internal', detail: `the server log has the cause under the id ${id}` });
  }
}

/**
 * Refuses heartbeats as cheaply as an answer can be: it is given when there is no time for better ones. The size of the
 * answer's body.
 */
export function refuseFast(response: HttpResponse): number {
  response.onAborted(() => {});
  response.cork(() => {
    response.writeStatus('503 Service Unavailable');
    response.writeHeader('retry-after', '1');
    response.writeHeader('content-type', 'application/json; charset=utf-8');
    response.end(OVERLOADED_BODY);
  });
  return OVERLOADED_BODY.length;
}

interface DiskFault {
  /** For the log, with what to do. */
  readonly logged: string;
  /** For the caller. */
  readonly told: string;
}

/** Not bugs of ours, but no more the caller's to mend: who reads the log can. The store has named a damaged record there. */
const OF_THE_DISK: Partial<Record<ErrorName, DiskFault>> = {
  storageFailed: {
    logged: 'the disk refused a write; check the disk and its file system (dmesg); writes go on when the disk does',
    told: 'the disk refused the write',
  },
  recordDamaged: {
    logged: 'a stored record that a call needs is damaged; cairn verify lists all such records',
    told: 'a stored record that the call needs is damaged',
  },
};

function failByDisk(exchange: HttpExchange, error: CodedError, { logged, told }: DiskFault, log: Logger): void {
  const id = newId();
  log.error({ kind: 'environment', id, cause: error.detail, method: exchange.method, path: exchange.path }, logged);
  exchange.fail({ name: error.name, detail: `${told}; the server log has the cause under the id ${id}` });
}

function failUnknown(exchange: HttpExchange, { detail }: CodedError, log: Logger): void {
  if (isQuestion(exchange)) {
    exchange.fail({ name: 'overloaded', detail: 'a part of the server stopped or did not answer in time' });
    return;
  }
  const id = newId();
  log.warn(
    { kind: 'environment', id, method: exchange.method, path: exchange.path },
    'a forwarded call was not answered in time: it may or may not have been applied',
  );
  exchange.fail({ name: 'outcomeUnknown', detail: `${detail} (${id})` });
}

/** One that was not answered has taken nothing. */
function isQuestion({ method }: HttpExchange): boolean {
  return method === 'GET' || method === 'HEAD';
}

function newId(): string {
  return randomBytes(4).toString('hex');
}
