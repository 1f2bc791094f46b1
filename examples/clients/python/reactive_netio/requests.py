# SPDX-License-Identifier: Apache-2.0
"""Requests and answers, one by one: the chapter "Requests" of docs/wire-format.md."""

from __future__ import annotations

import asyncio
import struct
from collections import deque
from typing import TYPE_CHECKING, Awaitable, Callable, Mapping, NamedTuple

from .streams import InStream, Message, OutStream, Payload, as_bytes
from .wire import Code, StreamError, Tags, WireError

if TYPE_CHECKING:
    from .connection import Connection

_REQUEST, _CANCEL, _ANSWER, _EMPTY, _FAILED, _CANCELLED, _WITH_HEADERS = range(7)
_MAX_HEADERS, _HEADER_BYTES = 64, 4096
_TIMEOUT = "netio-timeout"
_RETRY = 0.1
_TEXT = 512


class Request(NamedTuple):
    """A request, as the responder gets it."""

    payload: bytes | memoryview
    headers: Mapping[str, str]


Handler = Callable[[Request], Awaitable[Payload | None]]
"""Returns the answer, or None for an empty one. What it raises is told as a failure.

It is cancelled when nobody waits for the answer any more.
"""


def encode_headers(headers: Mapping[str, str]) -> bytes:
    """The bytes of headers with their length, or nothing if there are none or they are too many."""
    body = b""
    for key, value in headers.items():
        name, text = key.encode(), value.encode()
        if not 1 <= len(name) <= 255 or len(text) > _HEADER_BYTES:
            raise ValueError(f"a header's key must have 1 to 255 bytes, and its value at most {_HEADER_BYTES}: {key!r}")
        body += bytes((len(name),)) + name + struct.pack("<H", len(text)) + text
    return struct.pack("<H", len(body)) + body if body and len(body) <= _HEADER_BYTES and len(headers) <= _MAX_HEADERS else b""


def decode_headers(data: bytes) -> tuple[dict[str, str], int]:
    """The headers that a payload begins with, and how many bytes they take."""
    try:
        end = 2 + struct.unpack_from("<H", data)[0]
        if end > len(data) or end > 2 + _HEADER_BYTES:
            raise WireError("headers that are cut off")
        headers: dict[str, str] = {}
        at = 2
        while at < end:
            key = at + 1 + data[at]
            value = key + 2 + struct.unpack_from("<H", data, key)[0]
            name = data[at + 1:key].decode()
            if value > end or not name or name in headers or len(headers) == _MAX_HEADERS:
                raise WireError("malformed headers")
            headers[name] = data[key + 2:value].decode()
            at = value
        return headers, end
    except (struct.error, IndexError, UnicodeDecodeError) as e:
        raise WireError("malformed headers") from e


class Requester:
    """Sends requests with a tag to the peer's responder. Connection.requester makes it."""

    def __init__(self, connection: Connection, tag: int) -> None:
        self.tag = tag
        self._connection = connection
        self._out: OutStream | None = None  # the responder's subscription to the requests
        self._answers: InStream | None = None
        self._waiting: deque[tuple[asyncio.Future[bytes | None], bytes | memoryview, Mapping[str, str]]] = deque()
        self._open: dict[int, asyncio.Future[bytes | None]] = {}
        self._cancelled: set[int] = set()
        self._next = 0
        self._sent_any = False

    async def request(self, payload: Payload = b"", headers: Mapping[str, str] | None = None,
                      timeout: float | None = None) -> bytes | None:
        """Sends a request, and returns its answer, None for an empty one. Cancelling it cancels the request.

        It waits while the responder takes no more. Raises StreamError if the responder fails (SOURCE_FAILED), is not there
        (NOT_SERVED) or leaves, and TimeoutError after so many seconds, which the responder is told as well.
        """
        connection = self._connection
        if connection.closed or connection.peer is None:
            raise ConnectionError("the connection is not open")
        data = as_bytes(payload)
        if len(data) > connection.peer.message:
            raise ValueError(f"a request of {len(data)} bytes, where the peer takes {connection.peer.message}")
        told = dict(headers or {})
        encode_headers(told)
        if timeout is not None:
            told = {_TIMEOUT: f"{max(0, int(timeout * 1e9)):019d}"} | told
        answer: asyncio.Future[bytes | None] = connection.loop.create_future()
        self._waiting.append((answer, data, told))
        if self._answers is None:
            self._subscribe()
        self._send()
        async with asyncio.timeout(timeout):
            try:
                return await answer
            except asyncio.CancelledError:
                self._give_up(answer)
                raise

    # ---- for the connection

    def subscribed(self, out: OutStream) -> bool:
        if out.tags.tag != self.tag or self._out is not None:
            return False
        out.limit = 1 << 62
        out.on_demand = self._send
        out.on_left = out.on_cancelled = lambda: self._left(out)
        self._out = out
        self._sent_any = False
        if self._answers is None:
            self._subscribe()
        else:
            self._join()
        self._connection.loop.call_later(self._connection.settings.wait, self._refuse_requester, out)
        self._send()
        return True

    def lost(self, text: str) -> None:
        self._out = None
        self._fail(Code.LOST, text, True)

    # ---- inside

    def _subscribe(self) -> None:
        self._answers = answers = self._connection.open(Tags(self.tag))
        answers.on_message = self._answered
        answers.on_end = lambda code, text: self._ended(answers, code, text)
        self._join()

    def _join(self) -> None:
        if self._answers is not None and self._out is not None:
            self._answers.before = self._out
            self._out.after = self._answers

    def _send(self) -> None:
        out, answers, peer = self._out, self._answers, self._connection.peer
        while (self._waiting and out is not None and out.ending is None and answers is not None and peer is not None
               and out.demand >= len(out.queue) + len(self._open) - len(self._cancelled) + 2):
            answer, data, told = self._waiting.popleft()
            if answer.done():
                continue
            head = encode_headers(told) if told and self._connection.has_headers else b""
            if len(head) + len(data) > peer.message:
                head = b""
            self._next += 1
            self._open[self._next] = answer
            self._sent_any = True
            answers.more(1)
            out.offer(Message(head + data if head else data, self._next, _WITH_HEADERS if head else _REQUEST))

    def _give_up(self, answer: asyncio.Future[bytes | None]) -> None:
        for number, one in self._open.items():
            if one is answer and number not in self._cancelled:
                if self._out is not None and self._out.ending is None:
                    self._cancelled.add(number)
                    self._out.offer(Message(b"", number, _CANCEL))
                self._send()
                return

    def _answered(self, message: Message) -> None:
        answer = self._open.pop(message.tag, None)
        if answer is None or not _ANSWER <= message.status <= _CANCELLED:
            if message.status in (_REQUEST, _CANCEL, _WITH_HEADERS):
                self._refuse("both sides send requests")
            elif self._answers is not None:
                self._answers.cancel()
            if answer is not None and not answer.done():
                answer.set_exception(StreamError(Code.BROKEN_RULES, f"an answer with status {message.status}"))
            return
        self._cancelled.discard(message.tag)
        if not answer.done():
            if message.status == _ANSWER:
                answer.set_result(bytes(message.payload))
            elif message.status == _EMPTY:
                answer.set_result(None)
            elif message.status == _FAILED:
                answer.set_exception(StreamError(Code.SOURCE_FAILED, bytes(message.payload).decode(errors="replace")))
            else:
                answer.set_exception(StreamError(Code.CANCELLED, "the responder has cancelled the request"))
        self._send()

    def _refuse_requester(self, out: OutStream) -> None:
        if self._out is out and not self._sent_any and out.demand < 2 and not out.ended:
            self._refuse("both sides send requests")

    def _refuse(self, text: str) -> None:
        out, answers = self._out, self._answers
        self._out = None
        self._fail(Code.NOT_SERVED, text, True)
        if out is not None and answers is not None:
            out.on_left = answers.cancel  # the refusal goes first
            out.clear()
            out.end(Code.NOT_SERVED, text)
        elif answers is not None:
            answers.cancel()

    def _left(self, out: OutStream) -> None:
        if self._out is out:
            self._out = None

    def _ended(self, answers: InStream, code: int, text: str) -> None:
        if self._answers is not answers:
            return
        self._answers = None
        if code == Code.COMPLETE:
            self._fail(Code.LOST, "the responder has ended before it answered", False)
            if self._out is not None or self._waiting:
                self._subscribe()
        else:
            self._fail(code, text, True)

    def _fail(self, code: int, text: str, all_of_them: bool) -> None:
        answers = list(self._open.values())
        self._open.clear()
        self._cancelled.clear()
        if all_of_them:
            answers += [answer for answer, _, _ in self._waiting]
            self._waiting.clear()
        for answer in answers:
            if not answer.done():
                answer.set_exception(StreamError(code, text))


class Responder:
    """Answers requests with a tag. Connection.respond makes it.

    It runs the handler in a task of its own for each request, and for so many at a time.
    """

    def __init__(self, connection: Connection, tag: int, handler: Handler, concurrency: int) -> None:
        if not 1 <= concurrency <= 1 << 20:
            raise ValueError(f"concurrency must be 1 to {1 << 20}, and is {concurrency}")
        self.tag = tag
        self._connection = connection
        self._handler = handler
        self._concurrency = concurrency
        self._out: OutStream | None = None  # the requester's subscription to the answers
        self._requests: InStream | None = None
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._owed: set[int] = set()  # their CANCEL has come, which gives demand with the answer
        self._ended = False
        self._ping = 0

    def end(self) -> None:
        """Answers no more. Requests that are worked on fail at the requester."""
        if self._ended:
            return
        self._ended = True
        if self._requests is not None:
            self._requests.cancel()
        out, self._out = self._out, None
        if out is not None:
            out.end(Code.COMPLETE)
        self._drop()
        self._ping = self._connection.ping()

    # ---- for the connection

    def begin(self) -> None:
        """Subscribes to the requests, if it is not."""
        connection = self._connection
        if self._requests is None and not self._ended and not connection.closed:
            try:
                self._requests = requests = connection.open(Tags(self.tag))
            except ConnectionError:  # the peer allows no further stream
                connection.loop.call_later(_RETRY, self.begin)
                return
            requests.on_message = self._requested
            requests.on_end = lambda code, text: self._over(requests)
            requests.more(2 * self._concurrency)

    def subscribed(self, out: OutStream) -> bool:
        if out.tags.tag != self.tag:
            return False
        if self._ended:
            out.end(Code.COMPLETE)
            return True
        if self._out is not None:
            return False
        out.limit = 1 << 62
        out.on_left = out.on_cancelled = lambda: self._left(out)
        self._out = out
        self.begin()
        return True

    def is_over(self, pong: int) -> bool:
        """Whether the peer knows that it has ended."""
        return self._ended and pong >= self._ping

    def lost(self) -> None:
        self._ended = True
        self._out = None
        self._drop()

    # ---- inside

    def _requested(self, message: Message) -> None:
        number, status = message.tag, message.status
        requests = self._requests
        assert requests is not None
        if status == _CANCEL:
            if number not in self._tasks or number in self._owed:
                requests.more(1)
            else:
                self._owed.add(number)
                self._tasks[number].cancel()
            return
        headers: dict[str, str] = {}
        payload = message.payload
        try:
            if status == _WITH_HEADERS and self._connection.has_headers:
                headers, used = decode_headers(bytes(payload))
                payload = payload[used:]
            elif status != _REQUEST:
                raise WireError(f"a request with status {status}")
            if number in self._tasks or len(self._tasks) >= self._concurrency:
                raise WireError("a request's number is under way, or there are too many")
        except WireError:
            requests.cancel()
            return
        limit = headers.get(_TIMEOUT, "")
        nanoseconds = int(limit) if limit.isascii() and limit.isdigit() and len(limit) <= 19 else None
        if nanoseconds == 0:
            self._answer(number, _CANCELLED)
            return
        task = self._tasks[number] = self._connection.loop.create_task(self._run(number, Request(payload, headers)))
        if nanoseconds is not None:
            timer = self._connection.loop.call_later(nanoseconds / 1e9, task.cancel)
            task.add_done_callback(lambda done: timer.cancel())

        def done(one: asyncio.Task[None]) -> None:
            if self._tasks.get(number) is one:  # cancelled before it began
                del self._tasks[number]
                self._answer(number, _CANCELLED)
        task.add_done_callback(done)

    async def _run(self, number: int, request: Request) -> None:
        status = _CANCELLED
        data: bytes | memoryview = b""
        try:
            answer = await self._handler(request)
            status, data = (_EMPTY, b"") if answer is None else (_ANSWER, as_bytes(answer))
            peer = self._connection.peer
            if peer is not None and len(data) > peer.message:
                status, data = _FAILED, f"an answer of {len(data)} bytes, where you take {peer.message}".encode()
        except asyncio.CancelledError:
            pass
        except Exception as e:  # whatever the handler raises is the requester's to know
            status, data = _FAILED, str(e).encode(errors="replace")[:_TEXT]
        if self._tasks.pop(number, None) is not None:
            self._answer(number, status, data)

    def _answer(self, number: int, status: int, data: bytes | memoryview = b"") -> None:
        if self._out is not None:
            self._out.offer(Message(data, number, status))
        if self._requests is not None:
            self._requests.more(2 if number in self._owed else 1)
        self._owed.discard(number)

    def _left(self, out: OutStream) -> None:
        if self._out is out:
            self._out = None
            self._drop()

    def _over(self, requests: InStream) -> None:
        if self._requests is requests:
            self._requests = None
            self._drop()
            if not self._ended and not self._connection.closed:
                self._connection.loop.call_later(_RETRY, self.begin)

    def _drop(self) -> None:
        tasks = list(self._tasks.values())
        self._tasks.clear()
        self._owed.clear()
        for task in tasks:
            task.cancel()
