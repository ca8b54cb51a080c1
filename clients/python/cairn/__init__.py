"""Client of the Cairn server's API: standard library only, typed."""

from . import errors, types
from ._client import Client, Event
from ._errors import ApiError, CairnError, ConnectionFailed
from ._transport import Answer, Body

__all__ = [
    "Answer",
    "ApiError",
    "Body",
    "CairnError",
    "Client",
    "ConnectionFailed",
    "Event",
    "errors",
    "types",
]
