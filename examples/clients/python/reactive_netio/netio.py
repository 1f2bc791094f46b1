# SPDX-License-Identifier: Apache-2.0
"""An end of reactive-netio: connections, and tags that are served on all of them."""

from __future__ import annotations

import asyncio
from typing import Callable

from .connection import Connection
from .streams import Changes, Message, OutStream, Payload, Subscription, as_bytes
from .wire import Code, Policy, Settings, StreamError, Tags


class Source:
    """Tags that are served. Netio.serve makes it."""

    def __init__(self, netio: Netio, tags: Tags, policy: Policy, queue: int) -> None:
        self.tags = tags
        self.policy = policy
        self.queue = queue
        self.outs: set[OutStream] = set()
        self.ended = False
        self._netio = netio
        self._changes = Changes()

    @property
    def subscribers(self) -> int:
        return len(self.outs)

    def try_publish(self, payload: Payload, tag: int | None = None, status: int = 0) -> bool:
        """Publishes to whoever has subscribed to the tag. False, and to nobody, if one with the policy WAIT has no room."""
        tag = self.tags.tag if tag is None else tag
        if tag not in self.tags:
            raise ValueError(f"tag {tag} is not served by this source")
        if self.ended:
            raise StreamError(Code.COMPLETE, "the source has ended")
        wanted = [out for out in self.outs if tag in out.tags]
        if any(out.policy == Policy.WAIT and out.is_full() for out in wanted):
            return False
        message = Message(as_bytes(payload), tag, status)
        for out in wanted:
            peer = out.connection.peer
            if peer and len(message.payload) <= peer.message:
                out.offer(message)
            else:
                out.drop(1)
        return True

    async def publish(self, payload: Payload, tag: int | None = None, status: int = 0) -> None:
        """Publishes, and waits for room as long as a subscriber with the policy WAIT has none. The payload is not copied."""
        while not self.try_publish(payload, tag, status):
            await self.changed()

    async def subscribed(self) -> None:
        """Waits until there is a subscriber."""
        while not self.outs:
            await self.changed()

    async def changed(self) -> None:
        """Waits until there is room, a subscriber more or less, or the end."""
        await self._changes.next()

    def wake(self) -> None:
        self._changes.tell()

    def end(self, code: int = Code.COMPLETE, text: str = "") -> None:
        """Ends the streams of all subscribers, behind what waits for them. The tags may be served anew."""
        if not self.ended:
            self.ended = True
            self._netio.sources.remove(self)
            for out in list(self.outs):
                out.end(code, text)
            self.wake()


class Netio:
    """One end: any number of connections, and tags that are served on all of them. On one event loop."""

    def __init__(self) -> None:
        self.sources: list[Source] = []
        self.connections: set[Connection] = set()
        self._servers: list[asyncio.Server] = []
        self._pending: set[OutStream] = set()

    async def connect(self, host: str, port: int, settings: Settings = Settings()) -> Connection:
        """Connects. Raises ConnectionError or OSError if nobody is there, or the other side is no such end."""
        _, connection = await asyncio.get_running_loop().create_connection(lambda: Connection(self, settings, True, host), host, port)
        await connection.opened
        return connection

    async def listen(self, host: str | None = None, port: int = 0, settings: Settings = Settings(),
                     on_connection: Callable[[Connection], None] = lambda connection: None) -> int:
        """Listens, and returns the port. on_connection is told of each connection that is made."""
        def accept() -> Connection:
            connection = Connection(self, settings, False)
            connection.opened.add_done_callback(
                lambda opened: None if opened.exception() else on_connection(connection))
            return connection
        server = await asyncio.get_running_loop().create_server(accept, host, port)
        self._servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    async def subscribe(self, host: str, port: int, tags: Tags | int, policy: Policy = Policy.DEFAULT, ahead: int = 1024,
                        settings: Settings = Settings()) -> Subscription:
        """Connects, and subscribes to tags."""
        return (await self.connect(host, port, settings)).subscribe(tags, policy, ahead)

    def serve(self, tags: Tags | int, policy: Policy = Policy.WAIT, queue: int = 1024) -> Source:
        """Serves tags on all connections. The policy is that of subscribers that leave it to the publisher."""
        tags = Tags(tags) if isinstance(tags, int) else tags
        tags.check()
        if any(source.tags.meets(tags) for source in self.sources):
            raise ValueError(f"some of {tags} is served already")
        source = Source(self, tags, policy, queue)
        self.sources.append(source)
        for out in list(self._pending):
            if source.tags.meets(out.tags):
                self._join(source, out)
        return source

    def close(self, code: int = Code.COMPLETE, text: str = "") -> None:
        """Closes all connections, and listens no more."""
        for server in self._servers:
            server.close()
        self._servers.clear()
        for connection in list(self.connections):
            connection.close(code, text)

    # ---- for connections

    def opened(self, connection: Connection) -> None:
        self.connections.add(connection)

    def closed(self, connection: Connection) -> None:
        self.connections.discard(connection)

    def subscribed(self, out: OutStream) -> None:
        if out.connection.exchange(out):
            return
        for source in self.sources:
            if source.tags.meets(out.tags):
                self._join(source, out)
                return
        self._pending.add(out)
        out.connection.loop.call_later(out.connection.settings.wait, self._not_served, out)

    def waiting(self, connection: Connection) -> list[OutStream]:
        """The subscriptions of a connection that nobody serves yet."""
        return [out for out in self._pending if out.connection is connection]

    def taken(self, out: OutStream) -> None:
        """Somebody serves the subscription now."""
        self._pending.discard(out)

    def _not_served(self, out: OutStream) -> None:
        if out in self._pending:
            self._pending.discard(out)
            out.end(Code.NOT_SERVED, f"nobody serves {out.tags}")

    def _join(self, source: Source, out: OutStream) -> None:
        self._pending.discard(out)
        out.limit = source.queue
        if out.policy == Policy.DEFAULT:
            out.policy = source.policy
        out.on_room = source.wake

        def leave() -> None:
            source.outs.discard(out)
            source.wake()
        out.on_left = out.on_cancelled = leave
        source.outs.add(out)
        source.wake()

    def left(self, out: OutStream) -> None:
        """The stream is over."""
        self._pending.discard(out)
        out.on_left()
