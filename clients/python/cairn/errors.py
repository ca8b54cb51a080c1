# Made by `npm run docs` from the OpenAPI document; a test fails where they differ.
"""One exception for each error code of the API."""

from __future__ import annotations

from typing import Dict, Type

from ._errors import ApiError, CairnError

class MalformedError(ApiError):
    """1001 Malformed request. The body cannot be parsed, or a header or a percent-encoding is malformed."""


class TooLargeError(ApiError):
    """1002 Request too large. The body exceeds the limit of its route (1 MiB; heartbeats, samples and jobs 8 MiB; a log chunk 16 MiB), before or after decompression. Send less in one call."""


class InvalidError(ApiError):
    """1003 Invalid argument. The request is well formed, but a value is invalid; `fields` gives each invalid value with the reason."""


class NotFoundError(ApiError):
    """1004 Not found. There is no such route, node, job, series or file."""


class MethodNotAllowedError(ApiError):
    """1005 Method not allowed. The path exists, but not with this method; the `Allow` header lists the methods that do."""


class OffsetConflictError(ApiError):
    """1006 Offset conflict. A log chunk does not start at the end of what is stored; resume at `fields.size`."""


class AddressUnavailableError(ApiError):
    """1007 Address unavailable. The new `addr` is in use, not permitted, or not an address. The old address keeps serving."""


class UnsupportedMediaTypeError(ApiError):
    """1008 Unsupported media type. The route does not accept the content type or the content encoding of the body."""


class RangeNotSatisfiableError(ApiError):
    """1009 Range not satisfiable. The range in the `Range` header lies outside the file; `Content-Range` and `fields.size` give its length."""


class JobClaimedError(ApiError):
    """1010 Job is claimed. Another live node holds the job’s claim, or an update comes from a copy whose claim was taken over; `fields` {nodeId, epoch} names the newest claim. End the copy; its later events do not count."""


class InstanceTakenError(ApiError):
    """1011 Instance is taken. A live node has this `instance.instanceId`, or, for a join token, this id. It is free when that node is deregistered or lost."""


class TokenMissingError(ApiError):
    """2001 Token missing. The identity provider is on, and the call has no bearer token."""


class TokenInvalidError(ApiError):
    """2002 Token invalid. The token’s signature, issuer, client, `token_use`, expiry or not-before time is invalid. Sign in again."""


class NotPrivilegedError(ApiError):
    """2003 User is not privileged. The call is for administrators, and the user is in none of the groups in `security.idp.adminGroups`."""


class NodeTokenMismatchError(ApiError):
    """2004 Node token not valid for this node. A node token was used for another node, or for a call that workers do not make."""


class NotPrivilegedToDisableError(ApiError):
    """2005 User is not privileged, only admin can disable the identity provider. DELETE /api/v1/security/idp by a non-administrator; `fields` holds adminGroups and groupsInToken."""


class CertificateMissingError(ApiError):
    """2006 Client certificate missing. A worker call, or a call with a node token, came on a connection without a certificate signed by `security.clientCAFile`."""


class TooManyRequestsError(ApiError):
    """3001 Too many requests. The caller’s request budget is used up; `Retry-After` says when to try again."""


class OverloadedError(ApiError):
    """3002 Overloaded. A bounded queue is full, or something that the call needs is not ready yet; `Retry-After` says when to try again. Nothing was stored."""


class InternalError(ApiError):
    """9001 Internal error. A fault in the server. The message contains an id; the server log has the cause under that id."""


class NotLeaderError(ApiError):
    """3003 Not the leader. This server of a cluster cannot reach the leader, or has just ceased to be it. Repeat the call after `Retry-After` seconds, here or at another server. A write that was passed on, or on its way to the other servers, may have been applied; the message then says so."""


class StorageFullError(ApiError):
    """9002 Storage full. The disk or the database is full. Nothing acknowledged is lost, and reads continue. Free some space."""


class StorageFailedError(ApiError):
    """9001 Internal error. The disk under the database, the configuration or the logs refuses writes (an I/O error, a file system that became read-only). Nothing acknowledged is lost, and reads continue. The message contains an id; the server log names the cause under that id."""


class RecordDamagedError(ApiError):
    """9001 Internal error. A stored record that the call needs is damaged: its checksum does not fit, or it cannot be decoded. Other records are not affected. The server log and `cairn doctor` name it; a backup brings it back."""


BY_CODE: Dict[int, Type[ApiError]] = {
    1001: MalformedError,
    1002: TooLargeError,
    1003: InvalidError,
    1004: NotFoundError,
    1005: MethodNotAllowedError,
    1006: OffsetConflictError,
    1007: AddressUnavailableError,
    1008: UnsupportedMediaTypeError,
    1009: RangeNotSatisfiableError,
    1010: JobClaimedError,
    1011: InstanceTakenError,
    2001: TokenMissingError,
    2002: TokenInvalidError,
    2003: NotPrivilegedError,
    2004: NodeTokenMismatchError,
    2005: NotPrivilegedToDisableError,
    2006: CertificateMissingError,
    3001: TooManyRequestsError,
    3002: OverloadedError,
    9001: InternalError,
    3003: NotLeaderError,
    9002: StorageFullError,
    9001: StorageFailedError,
    9001: RecordDamagedError,
}

__all__ = [
    "ApiError",
    "CairnError",
    "MalformedError",
    "TooLargeError",
    "InvalidError",
    "NotFoundError",
    "MethodNotAllowedError",
    "OffsetConflictError",
    "AddressUnavailableError",
    "UnsupportedMediaTypeError",
    "RangeNotSatisfiableError",
    "JobClaimedError",
    "InstanceTakenError",
    "TokenMissingError",
    "TokenInvalidError",
    "NotPrivilegedError",
    "NodeTokenMismatchError",
    "NotPrivilegedToDisableError",
    "CertificateMissingError",
    "TooManyRequestsError",
    "OverloadedError",
    "InternalError",
    "NotLeaderError",
    "StorageFullError",
    "StorageFailedError",
    "RecordDamagedError",
    "BY_CODE",
]
