"""What a call raises."""

from __future__ import annotations

from typing import Any, Dict, Optional


class CairnError(Exception):
    """Every failure of this package."""


class ConnectionFailed(CairnError):
    """No complete answer came. A call that changes something may or may not have been carried out."""


class ApiError(CairnError):
    """The server answered with an error; the classes in :mod:`cairn.errors` have one code each.

    :ivar status: the HTTP status
    :ivar code: the API's ``errorCode``; 0 if the answer is none of Cairn's, such as that of a proxy
    :ivar message: what is wrong
    :ivar fields: what is wrong with each value, or what is needed
    :ivar retry_after: seconds after which the call may succeed, if the server says so
    """

    def __init__(
        self,
        status: int,
        code: int,
        message: str,
        fields: Optional[Dict[str, Any]] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(f"{status} / {code} {message}" + (f" {fields}" if fields else ""))
        self.status = status
        self.code = code
        self.message = message
        self.fields: Dict[str, Any] = fields or {}
        self.retry_after = retry_after
