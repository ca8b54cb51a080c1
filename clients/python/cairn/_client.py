"""The client: the operations, with events that go on after a break and uploads that resume."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from typing import Any, BinaryIO, Dict, Iterator, List, Optional, Union

from ._errors import ApiError, CairnError, ConnectionFailed
from ._operations import Operations
from ._transport import WAIT_SECONDS_MAX, Body, as_file

# A log chunk may have 16 MiB; smaller ones lose less if a connection breaks.
CHUNK_BYTES = 4 << 20
# How many times in a row an upload may fail to move on before it is given up.
STUCK_MAX = 8


@dataclass(frozen=True)
class Event:
    """An event of the stream.

    :ivar id: its position, to be kept as it is: hand it to :meth:`Client.events` as `last_event_id` to go on after it
    :ivar type: its name, such as ``job.event``; ``gap`` says that events are missing: read the lists again
    :ivar data: the fields of docs/reference/events.md, and `time`
    """

    id: str
    type: str
    data: Dict[str, Any]


class Client(Operations):
    """A Cairn server, seen by one caller."""

    def events(
        self,
        *,
        types: Optional[str] = None,
        queue: Optional[str] = None,
        job: Optional[str] = None,
        node: Optional[str] = None,
        last_event_id: Union[int, str, None] = None,
        follow: bool = True,
    ) -> Iterator[Event]:
        """Events as they happen, without an end; after a break the stream goes on where it was.

        :param types: only events with these names, separated by commas; ``gap`` is always sent
        :param queue: only events of jobs of these queues
        :param job: only events of these jobs
        :param node: only events of these nodes, and of jobs on them
        :param last_event_id: only events after the one with this `id`; 0 begins with the oldest, None with the next
        :param follow: False ends after the last event that is stored
        """
        position = last_event_id
        failures = 0
        while True:
            try:
                with self.get_events(
                    types=types, queue=queue, job=job, node=node, last_event_id=position, follow=follow
                ) as stream:
                    for message in _messages(stream):
                        failures = 0
                        position = message.id or position
                        if message.type:
                            yield message
                if not follow:
                    return
            except ConnectionFailed:
                pass
            except ApiError as error:
                # A server that starts, is overloaded or has a fault is asked again; a wrong request or token is not.
                if error.status < 500 and error.status != 429:
                    raise
            time.sleep(min(2.0**failures, WAIT_SECONDS_MAX))
            failures = min(failures + 1, 6)

    def append_log(
        self,
        id: str,
        path: str,
        data: bytes,
    ) -> int:
        """Appends to a log file of a node, and returns the size of the file.

        The caller is the only writer of the file. Use :meth:`upload_log` for a file that may have been sent in part.

        :param id: the node
        :param path: of the log file on the node, such as ``/var/log/app.log``
        """
        start = self.log_size(id, path)
        return self._send(id, path, as_file(data), start, 0)

    def upload_log(self, id: str, path: str, source: Union[bytes, BinaryIO]) -> int:
        """Sends what the server does not yet have of a log file, and returns the size of the file.

        :param id: the node
        :param path: of the log file on the node, such as ``/var/log/app.log``
        :param source: the whole file, opened in binary mode, or its bytes
        """
        file = as_file(source)
        return self._send(id, path, file, 0, self.log_size(id, path))

    def log_size(self, id: str, path: str) -> int:
        """How many bytes of a node's log file the server has: where the next chunk starts."""
        try:
            return int(self.append_node_file(id, path, b"", offset=0)["size"])
        except ApiError as error:
            return _stored_size(error)

    def _send(self, id: str, path: str, file: BinaryIO, base: int, position: int) -> int:
        """Sends `file`, whose first byte is at `base` of the server's file, from its byte `position` on."""
        length = file.seek(0, os.SEEK_END)
        stuck = 0
        while position < length:
            file.seek(position)
            chunk = file.read(min(CHUNK_BYTES, length - position))
            try:
                stored = int(self.append_node_file(id, path, chunk, offset=base + position)["size"])
            except ConnectionFailed:
                # The chunk may be stored: the next attempt tells.
                if stuck >= STUCK_MAX:
                    raise
                time.sleep(min(2.0**stuck, WAIT_SECONDS_MAX))
                stored = base + position
            except ApiError as error:
                stored = _stored_size(error)
            stuck = 0 if stored > base + position else stuck + 1
            position = stored - base
            if not 0 <= position <= length or stuck > STUCK_MAX:
                raise CairnError(
                    f"the server has {stored} bytes of {path}, which does not fit the {length} that are sent: "
                    "is there another writer, or was the file replaced?"
                )
        return base + position


def _stored_size(error: ApiError) -> int:
    """Where to go on after a chunk that did not start at the end of the file (409 / 1006)."""
    if error.code != 1006 or "size" not in error.fields:
        raise error
    return int(error.fields["size"])


def _messages(stream: Body) -> Iterator[Event]:
    """The messages of a stream of server-sent events; one without a type only moves the position."""
    kind, position = "", ""
    data: List[str] = []
    for line in stream:
        if not line.endswith(b"\n"):
            return
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text == "":
            if data:
                yield Event(position, kind, json.loads("\n".join(data)))
            elif position:
                yield Event(position, "", {})
            kind, data, position = "", [], ""
            continue
        name, _, value = text.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            kind = value
        elif name == "data":
            data.append(value)
        elif name == "id":
            position = value
