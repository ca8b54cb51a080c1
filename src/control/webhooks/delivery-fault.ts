/** Why a delivery failed, in words for an operator: system calls and TLS say it in codes. Pure. */
import { hostOf } from './target-guard.ts';

/** A connection to a name with several addresses fails with one error for all of them. */
export function faultOfDelivery(error: unknown, url: string): string {
  if (error instanceof AggregateError && error.errors.length > 0) return faultOfDelivery(error.errors[0], url);
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code ?? '';
  const { protocol, hostname, port } = new URL(url);
  // With its port: it is what a firewall or a wrong number is about.
  const at = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const words = Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined;
  return words?.({ host: hostOf(url), at }) ?? error.message;
}

interface Target {
  readonly host: string;
  readonly at: string;
}

type Words = (target: Target) => string;

const unresolved: Words = ({ host }) => `the name ${host} does not resolve`;
const brokenOff: Words = ({ at }) => `${at} closed the connection without an answer`;
const unreachable: Words = ({ at }) => `no network leads from the server to ${at}`;
const notTls: Words = ({ at }) => `TLS with ${at} failed: it may speak http only`;
const untrusted: Words = ({ host }) => `the server does not trust the certificate of ${host}`;

const FAULTS: Readonly<Record<string, Words>> = {
  ENOTFOUND: unresolved,
  EAI_AGAIN: unresolved,
  ECONNREFUSED: ({ at }) => `nothing listens at ${at}`,
  ECONNRESET: brokenOff,
  EPIPE: brokenOff,
  ETIMEDOUT: ({ at }) => `no answer from ${at}`,
  EHOSTUNREACH: unreachable,
  ENETUNREACH: unreachable,
  CERT_HAS_EXPIRED: ({ host }) => `the certificate of ${host} has expired`,
  CERT_NOT_YET_VALID: ({ host }) => `the certificate of ${host} is not valid yet`,
  ERR_TLS_CERT_ALTNAME_INVALID: ({ host }) => `the certificate at ${host} is for another name`,
  DEPTH_ZERO_SELF_SIGNED_CERT: ({ host }) => `the certificate of ${host} is self-signed`,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  EPROTO: notTls,
  ERR_SSL_WRONG_VERSION_NUMBER: notTls,
};
