# SPDX-License-Identifier: Apache-2.0
"""The two sides of a stream. Both belong to one connection, and are used on its event loop only."""

from __future__ import annotations

import asyncio
import struct
from collections import deque
from typing import TYPE_CHECKING, Any, AsyncIterator, Callable, NamedTuple

from .wire import FIRST, LAST, STATUS, STREAM, TAG, UNBOUNDED, Code, Policy, StreamError, Tags, WireError

if TYPE_CHECKING:
    from .connection import Connection

_HEAD = struct.Struct("<I")
_STREAM_HEAD = struct.Struct("<II")
_TAG = struct.Struct("<Q")

Payload = Any
"""Bytes, or any object with a contiguous buffer of bytes, such as an array of numpy."""


def as_bytes(payload: Payload) -> bytes | memoryview:
    """The bytes of a payload, without a copy."""
    if type(payload) is bytes:
        return payload
    view = memoryview(payload)
    if not view.c_contiguous:
        raise ValueError("the payload is not contiguous: copy it before")
    return view.cast("B") if view.nbytes else b""


class Changes:
    """Those who wait until something has changed."""

    def __init__(self) -> None:
        self._waiters: list[asyncio.Future[None]] = []

    async def next(self) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter

    def tell(self) -> None:
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)


class Message(NamedTuple):
    """A message. The payload is a view of the page that it came in, or bytes if it came in several."""

    payload: bytes | memoryview
    tag: int = 0
    status: int = 0


class InStream:
    """A stream that this side receives. Nothing comes before more()."""

    def __init__(self, connection: Connection, number: int, tags: Tags) -> None:
        self.connection = connection
        self.number = number
        self.own_tag = tags.tag
        self.on_message: Callable[[Message], None] = lambda message: None
        self.on_dropped: Callable[[int], None] = lambda count: None
        self.on_end: Callable[[int, str], None] = lambda code, text: None
        self.cancelled = False
        self.ended = False
        self.subscribe: bytes | None = None  # a frame to be sent first
        self.ask = 0
        self.tell_cancel = False
        self.granted = 0
        self.arrived = 0
        self.before: OutStream | None = None  # sends nothing while there is demand to be told
        self.parts: bytearray | None = None
        self.total = 0
        self.head = (0, 0)

    def more(self, n: int) -> None:
        """Asks for n messages more; UNBOUNDED is without bound."""
        if n < 1:
            raise ValueError(f"a demand of {n} messages")
        if not self.cancelled and not self.ended:
            self.ask = min(self.ask + n, UNBOUNDED)
            self.connection.control(self)

    def cancel(self) -> None:
        """Ends it: no message comes any more. The end comes when the peer has answered."""
        if not self.cancelled and not self.ended:
            self.cancelled = True
            self.tell_cancel = True
            self.connection.control(self)

    def grant(self) -> int:
        """Returns the demand that is told now."""
        n, self.ask = self.ask, 0
        self.granted = min(self.granted + n, UNBOUNDED)
        return n

    def begin(self) -> None:
        """A message begins: takes demand."""
        if self.parts is not None:
            raise WireError(f"a message within another of stream {self.number}")
        if self.granted == 0:
            raise WireError(f"a message without demand, of stream {self.number}")
        if self.granted != UNBOUNDED:
            self.granted -= 1

    def whole(self, payload: Payload, tag: int, status: int) -> None:
        self.arrived += 1
        if not self.cancelled:
            self.on_message(Message(payload, tag, status))

    def drop_parts(self) -> None:
        if self.parts is not None:
            self.connection.reserved_in -= self.total
            self.parts = None

    def end(self, code: int, text: str) -> None:
        self.drop_parts()
        if not self.ended:
            self.ended = True
            self.on_end(Code.CANCELLED if self.cancelled and code != Code.LOST else code, text)


class OutStream:
    """A stream that this side sends: a queue, and the demand of the peer."""

    def __init__(self, connection: Connection, number: int, tags: Tags, limit: int) -> None:
        self.connection = connection
        self.number = number
        self.tags = tags
        self.policy = Policy.WAIT
        self.limit = limit
        self.on_room: Callable[[], None] = lambda: None
        self.on_cancelled: Callable[[], None] = lambda: None
        self.on_left: Callable[[], None] = lambda: None
        self.on_demand: Callable[[], None] = lambda: None
        self.after: InStream | None = None  # whose demand is told before anything is sent
        self.queue: deque[Message] = deque()
        self.sent = 0  # bytes of the first message that have left
        self.partial = False
        self.demand = 0
        self.count = 0
        self.dropped = 0
        self.ending: tuple[int, str] | None = None
        self.ended = False

    def is_full(self) -> bool:
        return len(self.queue) >= self.limit

    def offer(self, message: Message) -> None:
        """Takes a message, or drops one as the policy says. With the policy WAIT the caller has asked for room."""
        if self.ending is not None or self.ended:
            return
        if self.is_full():
            if self.policy == Policy.FAIL:
                self.clear()
                self.end(Code.TOO_SLOW, f"{self.limit} messages wait")
                return
            if self.policy == Policy.NEWEST:
                self.drop(1)
                return
            if self.policy == Policy.OLDEST:
                if self.partial and self.limit == 1:
                    self.drop(1)
                    return
                del self.queue[1 if self.partial else 0]
                self.drop(1)
        self.queue.append(message)
        self.connection.ready(self)

    def drop(self, count: int) -> None:
        self.dropped += count
        self.connection.ready(self)

    def clear(self) -> None:
        """Forgets what waits."""
        if self.partial:
            self.connection.reserved_out -= len(self.queue[0].payload)
        self.partial = False
        self.sent = 0
        self.queue.clear()

    def end(self, code: int, text: str = "") -> None:
        """Ends it behind what waits."""
        if self.ending is None and not self.ended:
            self.ending = (code, text)
            self.connection.ready(self)

    def has_data(self) -> bool:
        return bool(self.queue) and (self.partial or self.demand > 0 and (self.after is None or not self.after.ask))

    def write(self, page: bytearray, limit: int, budget: int) -> bool:
        """Appends messages to the page, as many as fit and there is demand for. False if there was none."""
        queue = self.queue
        first_frame = True
        current = self.tags.tag
        patterned = self.tags.kind != 0
        begun = len(page)
        while queue and (self.partial or self.demand > 0):
            message = queue[0]
            payload = message.payload
            size = len(payload)
            room = limit - len(page)
            if self.partial:
                n = min(size - self.sent, room - 8)
                if n <= 0:
                    break
                flags = LAST if self.sent + n == size else 0
                page += _STREAM_HEAD.pack((flags | STREAM) << 24 | n, self.number) if first_frame else _HEAD.pack(flags << 24 | n)
                page += memoryview(payload)[self.sent:self.sent + n]
                self.sent += n
                if flags:
                    self.connection.reserved_out -= size
                    self.done()
                first_frame = False
                continue
            flags = FIRST
            extra = b""
            tag, status = message.tag, message.status
            if first_frame:
                flags |= STREAM
            if tag != current or first_frame and patterned:
                flags |= TAG
                extra = _TAG.pack(tag)
            if status:
                flags |= STATUS
                extra += bytes((status,))
            fields = 8 if first_frame else 4
            if fields + len(extra) + size <= room:
                head = (flags | LAST) << 24 | size
                page += _STREAM_HEAD.pack(head, self.number) if first_frame else _HEAD.pack(head)
                page += extra
                page += payload
                if self.demand != UNBOUNDED:
                    self.demand -= 1
                self.done()
            else:
                if len(page) > begun and size + 64 < limit:
                    break  # it fits the next page
                if self.connection.reserved_out + size > budget or room < fields + 4 + len(extra) + 64:
                    break
                n = min(room - fields - 4 - len(extra), size - 1)
                page += _STREAM_HEAD.pack(flags << 24 | n, self.number) if first_frame else _HEAD.pack(flags << 24 | n)
                page += _HEAD.pack(size) + extra
                page += memoryview(payload)[:n]
                self.sent = n
                self.partial = True
                self.connection.reserved_out += size
                if self.demand != UNBOUNDED:
                    self.demand -= 1
            first_frame = False
            current = tag
        return not first_frame

    def done(self) -> None:
        """The first message has left."""
        self.queue.popleft()
        self.partial = False
        self.sent = 0
        self.count += 1


class Subscription(AsyncIterator[Message]):
    """Messages of a stream, as an asynchronous iterator. Demand runs ahead by `ahead` messages."""

    def __init__(self, stream: InStream, ahead: int) -> None:
        if ahead < 1:
            raise ValueError(f"ahead must be positive, and is {ahead}")
        self.dropped = 0
        """How many messages the publisher has dropped for this subscriber."""
        self._stream = stream
        self._ahead = ahead
        self._taken = 0
        self._waiting: deque[Message] = deque()
        self._changes = Changes()
        self._end: tuple[int, str] | None = None
        stream.on_message = self._message
        stream.on_dropped = self._dropped
        stream.on_end = self._ended
        if stream.ended:
            self._ended(Code.LOST, "the stream has ended")
        stream.more(ahead)

    def _message(self, message: Message) -> None:
        self._waiting.append(message)
        self._changes.tell()

    def _dropped(self, count: int) -> None:
        self.dropped += count

    def _ended(self, code: int, text: str) -> None:
        self._end = (code, text)
        self._changes.tell()

    async def _wait(self) -> None:
        while not self._waiting:
            if self._end is not None:
                if self._end[0] in (Code.COMPLETE, Code.CANCELLED):
                    raise StopAsyncIteration
                raise StreamError(*self._end)
            await self._changes.next()

    def _took(self, count: int) -> None:
        self._taken += count
        if self._taken * 2 >= self._ahead:
            self._stream.more(self._taken)
            self._taken = 0

    async def __anext__(self) -> Message:
        if not self._waiting:
            await self._wait()
        self._took(1)
        return self._waiting.popleft()

    async def batches(self) -> AsyncIterator[list[Message]]:
        """Lists of all that has come meanwhile: quicker than one message at a time."""
        while True:
            try:
                await self._wait()
            except StopAsyncIteration:
                return
            batch = list(self._waiting)
            self._waiting.clear()
            self._took(len(batch))
            yield batch

    def cancel(self) -> None:
        """Ends it. What has arrived can still be taken."""
        self._stream.cancel()
