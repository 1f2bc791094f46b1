# SPDX-License-Identifier: Apache-2.0
"""The line protocol of docs/conformance.md: ./netio conformance -- python3 -m reactive_netio.conformance."""

from __future__ import annotations

import asyncio
import struct
import sys
import time
from collections import deque
from dataclasses import dataclass, field
from typing import Callable

from .connection import Connection
from .crc32c import crc32c
from .netio import Netio, Source
from .requests import Request
from .streams import InStream, Message
from .wire import UNBOUNDED, Code, Policy, Settings, StreamError, Tags

_LARGEST = 64 << 20
_LATE_SECONDS = 0.3
_PATTERN = bytes(range(251)) * (_LARGEST // 251 + 3)
_POLICIES = {policy.name.lower(): policy for policy in Policy}
_HEAD = struct.Struct("<QBI")


class Refused(Exception):
    """A command that cannot be done."""


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


async def _sleep_through_a_cancel(seconds: float) -> None:
    until = time.monotonic() + seconds
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        await asyncio.sleep(until - time.monotonic())


def message(n: int, size: int) -> memoryview:
    start = 7 * (n % 251) % 251
    return memoryview(_PATTERN)[start:start + size]


@dataclass
class Fields:
    """The fields of a line."""

    values: dict[str, str]

    def text(self, key: str, otherwise: str = "") -> str:
        return self.values.get(key, otherwise)

    def number(self, key: str, otherwise: int = 0) -> int:
        value = self.values.get(key)
        return otherwise if value is None else UNBOUNDED if value == "max" else int(value)

    def policy(self) -> Policy:
        return _POLICIES[self.text("policy", "default")]

    def tags(self) -> Tags:
        text = self.text("tags")
        if "-" in text:
            first, last = text.split("-")
            return Tags.range(int(first), int(last))
        if "/" in text:
            tag, mask = text.split("/")
            return Tags.mask(int(tag), int(mask))
        return Tags(int(text))

    def settings(self) -> Settings:
        if self.text("framing", "stream") != "stream":
            raise NotImplementedError
        usual = Settings()
        return Settings(checksums=self.text("checksums") == "required", page=self.number("page", usual.page),
                        data_pages=self.number("data", usual.data_pages),
                        control_pages=self.number("control", usual.control_pages),
                        message=self.number("message", usual.message), streams=self.number("streams", usual.streams),
                        keepalive=self.number("keepalive", 15_000) / 1000)


class Received:
    """A stream that is received, and the total of what it has brought."""

    def __init__(self, stream: InStream, line: Fields) -> None:
        self.stream = stream
        self.s = line.number("s")
        self.demand = line.number("demand", UNBOUNDED)
        self.cancel = line.number("cancel", -1)
        self.since = self.count = self.bytes = self.crc = self.dropped = 0
        self.last = (b"", b"")  # the head and the payload of the last message
        stream.on_message = self.message
        stream.on_dropped = self.add_dropped
        stream.on_end = self.end
        if self.demand:
            stream.more(self.demand)
        if self.cancel == 0:
            stream.cancel()

    def message(self, m: Message) -> None:
        self.last = _HEAD.pack(m.tag, m.status, len(m.payload)), m.payload
        self.crc = self.checksum_of_last(self.crc)
        self.count += 1
        self.bytes += len(m.payload)
        if self.count == self.cancel:
            self.stream.cancel()
        elif 0 < self.demand < UNBOUNDED:
            self.since += 1
            if self.since == self.demand:
                self.since = 0
                self.stream.more(self.demand)

    def add_dropped(self, count: int) -> None:
        self.dropped += count

    def checksum_of_last(self, before: int = 0) -> int:
        head, payload = self.last
        return crc32c(payload, crc32c(head, before))

    def total(self) -> str:
        last = self.checksum_of_last() if self.count else 0
        return f"count={self.count} bytes={self.bytes} crc={self.crc:08x} last={last:08x} dropped={self.dropped}"

    def end(self, code: int, text: str) -> None:
        say(f"event end s={self.s} code={'lost' if code == Code.LOST else int(code)} {self.total()}")


class Asked:
    """The requests of one command, and the total of their answers."""

    def __init__(self, connection: Connection, line: Fields) -> None:
        self.s = line.number("s")
        self.count = self.bytes = self.crc = 0
        self.line = line
        self.requester = connection.requester(line.number("tag"))

    async def one(self, n: int) -> None:
        patience = self.line.number("cancel") / 1000
        headers = {"kit": "yes"} if self.line.text("headers") == "yes" else {}
        status, answer = 2, b""
        try:
            async with asyncio.timeout(patience or None):
                result = await self.requester.request(message(n, self.line.number("size")), headers)
            status, answer = (3, b"") if result is None else (2, result)
        except TimeoutError:
            status = 5
        except StreamError as e:
            if e.code != Code.SOURCE_FAILED:
                raise
            status = 4
        self.count += 1
        self.bytes += len(answer)
        self.crc = self.crc + crc32c(answer, crc32c(_HEAD.pack(n, status, len(answer)))) & 0xFFFFFFFF

    async def all(self) -> None:
        numbers = iter(range(self.line.number("count", 1)))

        async def some() -> None:
            for n in numbers:
                await self.one(n)
        code = "0"
        workers = [asyncio.ensure_future(some()) for _ in range(self.line.number("parallel", 1))]
        try:
            await asyncio.gather(*workers)
        except StreamError as e:
            code = "lost" if e.code == Code.LOST else str(int(e.code))
        finally:
            for worker in workers:
                worker.cancel()
        say(f"event end s={self.s} code={code} {self.total()}")

    def total(self) -> str:
        return f"count={self.count} bytes={self.bytes} crc={self.crc:08x} last=00000000 dropped=0"


@dataclass
class Job:
    """Messages to be sent or emitted, or an end behind them if end is not negative."""

    count: int
    size: int
    status: int
    tag: int = 0
    span: int = 1
    end: int = -1
    name: str = ""
    done: int = 0
    source: Source | None = None


@dataclass
class Peer:
    """A connection, and what is to be sent on it."""

    number: int
    connection: Connection | None = None
    jobs: deque[Job] = field(default_factory=deque)

    def go_on(self) -> None:
        connection = self.connection
        while connection and self.jobs and not connection.closed:
            job = self.jobs[0]
            out = connection.zero_out
            if job.end >= 0:
                out.end(job.end, "the source has failed")
            while job.done < job.count and job.end < 0:
                if out.is_full():
                    return
                out.offer(Message(message(job.done, job.size), job.tag, job.status))
                job.done += 1
            if out.queue and job.end < 0:
                return
            self.jobs.popleft()
            self.sent(job, "0")

    def sent(self, job: Job, code: str) -> None:
        if job.end < 0:
            say(f"event sent c={self.number} count={job.done} code={code}")

    def give_up(self, code: str) -> None:
        left = self.connection.zero_out.queue if self.connection else ()
        while self.jobs:
            job = self.jobs.popleft()
            job.done = max(0, job.done - len(left)) if code == "lost" else job.done
            self.sent(job, code)


class End:
    """The end between two resets."""

    def __init__(self, number: int) -> None:
        self.netio = Netio()
        self.number = number
        self.peers: dict[int, Peer] = {}
        self.streams: dict[int, Received | Asked] = {}
        self.asking: set[asyncio.Task[None]] = set()
        self.emits: deque[Job] = deque()
        self.over = False
        self.emitting: asyncio.Task[None] | None = None

    def new_peer(self) -> Peer:
        self.number += 1
        peer = self.peers[self.number] = Peer(self.number)
        return peer

    def made(self, peer: Peer, connection: Connection) -> None:
        peer.connection = connection
        say(f"event connected c={peer.number}")

        def closed(code: int, text: str) -> None:
            peer.give_up("lost")
            if not self.over:
                say(f"event closed c={peer.number} code={code} text={text}")
        connection.on_closed = closed
        connection.zero_out.on_room = peer.go_on
        connection.zero_out.on_cancelled = lambda: peer.give_up("1")

    def accepted(self, connection: Connection) -> None:
        if not self.over:
            self.made(self.new_peer(), connection)

    async def connect(self, peer: Peer, port: int, settings: Settings) -> None:
        try:
            connection = await self.netio.connect("127.0.0.1", port, settings)
        except OSError as e:
            if not self.over:
                say(f"event closed c={peer.number} code=0 text={e}")
            return
        if not self.over:
            self.made(peer, connection)

    def connected(self, line: Fields) -> tuple[Peer, Connection]:
        peer = self.peers.get(line.number("c"))
        if peer is None or peer.connection is None or peer.connection.closed:
            raise Refused("there is no such connection")
        return peer, peer.connection

    def total(self, line: Fields) -> str:
        stream = self.streams.get(line.number("s"))
        if stream is None:
            raise Refused("there is no such stream")
        return stream.total()

    def received(self, line: Fields) -> Received:
        received = self.streams.get(line.number("s"))
        if not isinstance(received, Received):
            raise Refused("there is no such stream")
        return received

    def source(self, tag: int) -> Source:
        for source in self.netio.sources:
            if tag in source.tags:
                return source
        raise Refused("it is not published")

    async def emit(self) -> None:
        while self.emits:
            job = self.emits[0]
            source = job.source
            assert source
            if job.end >= 0:
                source.end(job.end, "unpublished")
            while job.done < job.count and not source.ended:
                if source.policy <= Policy.WAIT and not source.subscribers:
                    await source.subscribed()
                tag = job.tag + job.done % job.span
                while not source.ended and not source.try_publish(message(job.done, job.size), tag, job.status):
                    await source.changed()
                job.done += 1
                if job.done % 64 == 0:
                    await asyncio.sleep(0)
            self.emits.popleft()
            if job.end < 0:
                say(f"event emitted tags={job.name} count={job.done}")
        self.emitting = None

    def add_emit(self, job: Job) -> None:
        self.emits.append(job)
        if self.emitting is None:
            self.emitting = asyncio.get_running_loop().create_task(self.emit())

    def reset(self) -> None:
        self.over = True
        if self.emitting:
            self.emitting.cancel()
        for task in self.asking:
            task.cancel()
        for received in self.streams.values():
            if isinstance(received, Received):
                received.stream.on_end = lambda code, text: None
        for peer in self.peers.values():
            peer.jobs.clear()
        self.netio.close()


class Kit:
    """Answers commands."""

    def __init__(self) -> None:
        self.end = End(0)
        self.tasks: set[asyncio.Task[None]] = set()

    async def obey(self, text: str) -> str:
        command, *words = text.split()
        line = Fields(dict(word.partition("=")[::2] for word in words))
        answer: Callable[[Fields], object] | None = getattr(self, "do_" + command, None)
        if answer is None:
            return "error unsupported"
        try:
            result = answer(line)
            if asyncio.iscoroutine(result):
                result = await result
            return f"ok {result}" if result else "ok"
        except NotImplementedError:
            return "error unsupported"
        except (Refused, ValueError, ConnectionError) as e:
            return f"error text={e}"

    def do_hello(self, line: Fields) -> str:
        return ("name=python framings=stream roles=connect,listen,send,receive,publish,subscribe,request,respond"
                f" extras=checksums,keepalive,shutdown,policies,patterns,headers,late transports=tcp message={_LARGEST}")

    async def do_listen(self, line: Fields) -> str:
        return f"port={await self.end.netio.listen('127.0.0.1', 0, line.settings(), self.end.accepted)}"

    def do_connect(self, line: Fields) -> str:
        peer = self.end.new_peer()
        task = asyncio.get_running_loop().create_task(self.end.connect(peer, line.number("port"), line.settings()))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return f"c={peer.number}"

    def job(self, line: Fields, job: Job) -> None:
        peer, _ = self.end.connected(line)
        peer.jobs.append(job)
        asyncio.get_running_loop().call_soon(peer.go_on)

    def do_send(self, line: Fields) -> None:
        self.job(line, Job(line.number("count", 1), line.number("size"), line.number("status"), line.number("tag")))

    def do_end(self, line: Fields) -> None:
        self.job(line, Job(0, 0, 0, end=line.number("code")))

    def do_receive(self, line: Fields) -> None:
        _, connection = self.end.connected(line)
        self.end.streams[line.number("s")] = Received(connection.zero_in, line)

    def do_subscribe(self, line: Fields) -> None:
        _, connection = self.end.connected(line)
        self.end.streams[line.number("s")] = Received(connection.open(line.tags(), line.policy()), line)

    def do_more(self, line: Fields) -> None:
        self.end.received(line).stream.more(line.number("n", 1))

    def do_cancel(self, line: Fields) -> None:
        self.end.received(line).stream.cancel()

    def do_total(self, line: Fields) -> str:
        return self.end.total(line)

    def do_publish(self, line: Fields) -> None:
        self.end.netio.serve(line.tags(), line.policy() or Policy.WAIT, line.number("queue", 1024))

    def do_subscribers(self, line: Fields) -> str:
        return f"count={sum(source.subscribers for source in self.end.netio.sources)}"

    def do_emit(self, line: Fields) -> None:
        tags = line.tags()
        self.end.add_emit(Job(line.number("count", 1), line.number("size"), line.number("status"), tags.tag,
                              tags.second - tags.tag + 1 if tags.kind == 1 else 1, name=line.text("tags"),
                              source=self.end.source(tags.tag)))

    def do_unpublish(self, line: Fields) -> None:
        self.end.add_emit(Job(0, 0, 0, end=line.number("code"), source=self.end.source(line.tags().tag)))

    def do_request(self, line: Fields) -> None:
        _, connection = self.end.connected(line)
        asked = Asked(connection, line)
        self.end.streams[asked.s] = asked
        task = asyncio.get_running_loop().create_task(asked.all())
        self.end.asking.add(task)
        task.add_done_callback(self.end.asking.discard)

    def do_respond(self, line: Fields) -> None:
        _, connection = self.end.connected(line)
        mode = line.text("mode")

        async def answer(request: Request) -> bytes | memoryview | None:
            if mode == "empty":
                return None
            if mode == "fail":
                raise RuntimeError("failed")
            if mode == "never":
                await asyncio.Event().wait()
            if mode == "late":
                await _sleep_through_a_cancel(_LATE_SECONDS)
                return None
            return request.payload
        connection.respond(line.number("tag"), answer, line.number("concurrency", 16))

    def do_close(self, line: Fields) -> None:
        peer = self.end.peers.get(line.number("c"))
        if peer and peer.connection:
            told = line.text("told") == "yes"
            peer.connection.close(Code.SHUTDOWN if told else Code.COMPLETE, "shuts down" if told else "")

    async def do_reset(self, line: Fields) -> None:
        self.end.reset()
        await asyncio.sleep(0)
        self.end = End(self.end.number)


async def run() -> None:
    """Obeys the lines of standard input."""
    reader = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    kit = Kit()
    while line := await reader.readline():
        text = line.decode().strip()
        if text == "quit":
            kit.end.reset()
            say("ok")
            return
        say(await kit.obey(text))


if __name__ == "__main__":
    asyncio.run(run())
