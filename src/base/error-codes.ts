/**
 * What the server answers to each failure: status, error code and message (contract section 8). A token that is
 * missing or wrong, for example, is `tokenMissing` or `tokenInvalid`. Threads and callers exchange the name, never a text
 * or a class. `docs/reference/errors.md` is generated from this table; a test holds table, document and OpenAPI to the same set.
 */
export type Retry = 'never' | 'after-change' | 'later';

interface ErrorEntry {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly retry: Retry;
  /** When it is answered and what the caller can do, for the documentation. */
  readonly when: string;
}

export const ERROR_CODES = {
  malformed: {
    status: 400,
    code: 1001,
    message: 'Malformed request',
    retry: 'after-change',
    when: 'The body cannot be parsed, or a header or a percent-encoding is malformed.',
  },
  tooLarge: {
    status: 413,
    code: 1002,
    message: 'Request too large',
    retry: 'after-change',
    when: 'The body exceeds the limit of its route (1 MiB; heartbeats, samples and jobs 8 MiB; a log chunk 16 MiB), before or after decompression. Send less in one call.',
  },
  invalid: {
    status: 422,
    code: 1003,
    message: 'Invalid argument',
    retry: 'after-change',
    when: 'The request is well formed, but a value is invalid; `fields` gives each invalid value with the reason.',
  },
  tooManySeries: {
    status: 422,
    code: 3002,
    message: 'Overloaded',
    retry: 'after-change',
    when: 'The call would exceed the limit of metric definitions (256) or series (1,000,000); `fields` says which. Nothing was stored.',
  },
  notFound: {
    status: 404,
    code: 1004,
    message: 'Not found',
    retry: 'after-change',
    when: 'There is no such route, node, job, series or file.',
  },
  methodNotAllowed: {
    status: 405,
    code: 1005,
    message: 'Method not allowed',
    retry: 'after-change',
    when: 'The path exists, but not with this method; the `Allow` header lists the methods that do.',
  },
  offsetConflict: {
    status: 409,
    code: 1006,
    message: 'Offset conflict',
    retry: 'after-change',
    when: 'A log chunk does not start at the end of what is stored; resume at `fields.size`.',
  },
  addressUnavailable: {
    status: 409,
    code: 1007,
    message: 'Address unavailable',
    retry: 'after-change',
    when: 'The new `addr` is in use, not permitted, or not an address. The old address keeps serving.',
  },
  unsupportedMediaType: {
    status: 415,
    code: 1008,
    message: 'Unsupported media type',
    retry: 'after-change',
    when: 'The route does not accept the content type or the content encoding of the body.',
  },
  rangeNotSatisfiable: {
    status: 416,
    code: 1009,
    message: 'Range not satisfiable',
    retry: 'after-change',
    when: 'The range in the `Range` header lies outside the file; `Content-Range` and `fields.size` give its length.',
  },
  jobClaimed: {
    status: 409,
    code: 1010,
    message: 'Job is claimed',
    retry: 'never',
    when: 'Another live node holds the job’s claim, or an update comes from a copy whose claim was taken over; `fields` {nodeId, epoch} names the newest claim. End the copy; its later events do not count.',
  },
  instanceTaken: {
    status: 409,
    code: 1011,
    message: 'Instance is taken',
    retry: 'after-change',
    when: 'A live node has this `instance.instanceId`, or, for a join token, this id. It is free when that node is deregistered or lost.',
  },
  tokenMissing: {
    status: 401,
    code: 2001,
    message: 'Token missing',
    retry: 'after-change',
    when: 'The identity provider is on, and the call has no bearer token.',
  },
  tokenInvalid: {
    status: 401,
    code: 2002,
    message: 'Token invalid',
    retry: 'after-change',
    when: 'The token’s signature, issuer, client, `token_use`, expiry or not-before time is invalid. Sign in again.',
  },
  notPrivileged: {
    status: 403,
    code: 2003,
    message: 'User is not privileged',
    retry: 'never',
    when: 'The call is for administrators, and the user is in none of the groups in `security.idp.adminGroups`.',
  },
  nodeTokenMismatch: {
    status: 403,
    code: 2004,
    message: 'Node token not valid for this node',
    retry: 'never',
    when: 'A node token was used for another node, or for a call that workers do not make.',
  },
  notPrivilegedToDisable: {
    status: 403,
    code: 2005,
    message: 'User is not privileged, only admin can disable the identity provider',
    retry: 'never',
    when: 'DELETE /api/v1/security/idp by a non-administrator; `fields` holds adminGroups and groupsInToken.',
  },
  certificateMissing: {
    status: 403,
    code: 2006,
    message: 'Client certificate missing',
    retry: 'never',
    when: 'A worker call, or a call with a node token, came on a connection without a certificate signed by `security.clientCAFile`.',
  },
  tooManyRequests: {
    status: 429,
    code: 3001,
    message: 'Too many requests',
    retry: 'later',
    when: 'The caller’s request budget is used up; `Retry-After` says when to try again.',
  },
  overloaded: {
    status: 503,
    code: 3002,
    message: 'Overloaded',
    retry: 'later',
    when: 'A bounded queue is full, or something that the call needs is not ready yet; `Retry-After` says when to try again. Nothing was stored.',
  },
  internal: {
    status: 500,
    code: 9001,
    message: 'Internal error',
    retry: 'later',
    when: 'A fault in the server. The message contains an id; the server log has the cause under that id.',
  },
  notLeader: {
    status: 503,
    code: 3003,
    message: 'Not the leader',
    retry: 'later',
    when: 'This server of a cluster cannot reach the leader, or has just ceased to be it. Repeat the call after `Retry-After` seconds, here or at another server. A write that was passed on, or on its way to the other servers, may have been applied; the message then says so.',
  },
  outcomeUnknown: {
    status: 500,
    code: 9001,
    message: 'Internal error',
    retry: 'later',
    when: 'A part of the server stopped, or did not answer in time, after it had received the call, so the call may or may not have been applied. Check, or repeat the call: what is already stored is not stored twice.',
  },
  storageFull: {
    status: 507,
    code: 9002,
    message: 'Storage full',
    retry: 'later',
    when: 'The disk or the database is full. Nothing acknowledged is lost, and reads continue. Free some space.',
  },
  storageFailed: {
    status: 500,
    code: 9001,
    message: 'Internal error',
    retry: 'later',
    when: 'The disk under the database, the configuration or the logs refuses writes (an I/O error, a file system that became read-only). Nothing acknowledged is lost, and reads continue. The message contains an id; the server log names the cause under that id.',
  },
  recordDamaged: {
    status: 500,
    code: 9001,
    message: 'Internal error',
    retry: 'never',
    when: 'A stored record that the call needs is damaged: its checksum does not fit, or it cannot be decoded. Other records are not affected. The server log and `cairn doctor` name it; a backup brings it back.',
  },
} as const satisfies Record<string, ErrorEntry>;
