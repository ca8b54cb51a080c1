/** Failures as values and as exceptions, and the error form of an answer. The codes and texts are in `error-codes.ts`. */
import { ERROR_CODES } from './error-codes.ts';

export type ErrorName = keyof typeof ERROR_CODES;

export type ErrorFields = Readonly<Record<string, unknown>>;

/** What crosses a thread or leaves as an answer; plain data. */
export interface Failure {
  readonly name: ErrorName;
  /** Added to the error code's message after a colon; never the payload, only its type and size. */
  readonly detail?: string;
  readonly fields?: ErrorFields;
}

/** Of a call that was handed on and not answered. `overloaded` would say that nothing of it was taken. */
export const OUTCOME_UNKNOWN: Failure = {
  name: 'outcomeUnknown',
  detail: 'the call may have been applied; check, or repeat it',
};

/** Of a write that was given to the engine by a server that has ceased to lead before it could confirm it. */
export const UNCONFIRMED: Failure = {
  name: 'notLeader',
  detail:
    'this server lost the lead before it could confirm the write, so the outcome is unknown: it may still be applied; check, or repeat it',
};

/** Whether the call may have been applied, though it failed. */
export function isOutcomeUnknown({ name, detail }: Failure): boolean {
  return name === 'outcomeUnknown' || (name === UNCONFIRMED.name && detail === UNCONFIRMED.detail);
}

/** The failure of a call of which another part is stored, or may be: it must not say that nothing was. */
export function failureOfPart(failure: Failure): Failure {
  if (failure.name === 'overloaded') return OUTCOME_UNKNOWN;
  return failure.name === 'notLeader' ? UNCONFIRMED : failure;
}

/** A failure that is thrown. Carries the name of an error code; the HTTP form is made at the gateway only. */
export class CodedError extends Error implements Failure {
  override readonly name: ErrorName;
  readonly detail?: string;
  readonly fields?: ErrorFields;

  constructor(name: ErrorName, detail?: string, fields?: ErrorFields) {
    super(detail === undefined ? ERROR_CODES[name].message : `${ERROR_CODES[name].message}: ${detail}`);
    this.name = name;
    if (detail !== undefined) this.detail = detail;
    if (fields !== undefined) this.fields = fields;
  }
}

export function failureOf(error: CodedError): Failure {
  return {
    name: error.name,
    ...(error.detail === undefined ? {} : { detail: error.detail }),
    ...(error.fields === undefined ? {} : { fields: error.fields }),
  };
}

export function errorOf(failure: Failure): CodedError {
  return new CodedError(failure.name, failure.detail, failure.fields);
}

export interface ErrorBody {
  readonly statusCode: number;
  readonly errorCode: number;
  readonly message: string;
  readonly fields?: ErrorFields;
}

/** The contract's error form. */
export function errorBodyOf(failure: Failure): ErrorBody {
  const entry = ERROR_CODES[failure.name];
  return {
    statusCode: entry.status,
    errorCode: entry.code,
    message: failure.detail === undefined ? entry.message : `${entry.message}: ${failure.detail}`,
    ...(failure.fields === undefined ? {} : { fields: failure.fields }),
  };
}
