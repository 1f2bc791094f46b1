# SPDX-License-Identifier: Apache-2.0
"""One connection over plain TCP, with the framing STREAM."""

from __future__ import annotations

import asyncio
import struct
from typing import TYPE_CHECKING, Callable

from .access import Access
from .crc32c import crc32c
from .requests import Handler, Requester, Responder
from .streams import Changes, InStream, Message, OutStream, Payload, Subscription, as_bytes
from .tls import Tls, sealed_size
from .wire import (ACCEPTS, CANCEL, COMPLETE, CONNECTS, DROPPED, ERROR, FIRST, HANDSHAKE_BYTES, LAST, LENGTHS, MAGIC, NO_STREAM,
                   PAGE_CRC, PAGE_DATA, PING, PONG, QUEUED, REQUEST, STATUS, STREAM, SUBSCRIBE, SUBSCRIBED, TAG, UNBOUNDED, Code,
                   FEATURE_HEADERS, Handshake, Policy, Settings, StreamError, Tags, WireError)

if TYPE_CHECKING:
    from .netio import Netio

_U32 = struct.Struct("<I")
_U64 = struct.Struct("<Q")
_TWO = struct.Struct("<II")
_NUMBERED = struct.Struct("<IIQ")
_SUBSCRIBE = struct.Struct("<IIBBHQQ")
_PAGE = struct.Struct("<HBB")
_CONTROL_ROOM = 600
_TEXT = 512
_ACCESS = 1024


class Connection(asyncio.Protocol):
    """A connection. Netio.connect and Netio.listen make them. On the event loop only."""

    def __init__(self, netio: Netio, settings: Settings, connects: bool, host: str | None = None) -> None:
        self.netio = netio
        self.settings = settings
        self.own = Handshake.of(settings, CONNECTS if connects else ACCEPTS)
        self.peer: Handshake | None = None
        self.loop = asyncio.get_running_loop()
        self.on_closed: Callable[[int, str], None] = lambda code, text: None
        self.opened: asyncio.Future[None] = self.loop.create_future()
        self.closed = False
        self.zero_in = InStream(self, 0, Tags(0))
        self.zero_out = OutStream(self, 0, Tags(0), settings.queue)
        self.reserved_in = 0
        self.reserved_out = 0
        self._access: Access | None = None
        self._said = b""
        self._transport: asyncio.Transport | None = None
        self._input = bytearray()
        self._host = settings.tls_name or host
        self._tls: Tls | None = None
        self._opened = self._input  # what is not sealed, or no more
        self._crc = False
        self._limit = 0
        self._paused = False
        self._scheduled = False
        self._rx_data = settings.data_pages  # credits that the peer has
        self._rx_control = settings.control_pages
        self._owe_data = 0
        self._owe_control = 0
        self._tx_data = 0
        self._tx_control = 0
        self._ins: dict[int, InStream] = {0: self.zero_in}
        self._outs: dict[int, OutStream] = {0: self.zero_out}
        self._in_controls: dict[int, InStream] = {}
        self._ready: dict[int, OutStream] = {}
        self._pongs: list[int] = []
        self._ping = False
        self._pings = 0
        self._next = 1
        self._room = Changes()
        self._requesters: list[Requester] = []
        self._responders: list[Responder] = []
        self._last_in = self._last_out = self.loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._code: int = Code.COMPLETE
        self._text = ""

    # ---- asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.set_write_buffer_limits(high=1 << 17)
        transport.write(self.own.encode())
        self._timer = self.loop.call_later(self.settings.handshake, self._too_late)

    def data_received(self, data: bytes) -> None:
        if self.closed:
            return
        self._last_in = self.loop.time()
        self._input += data
        try:
            if self.peer is None and not self._greet():
                return
            if self._tls is not None and not self._unseal(self._tls):
                return
            if self._access is not None and not self._prove(self._access):
                return
            self._take_pages()
        except WireError as e:
            self.fail(str(e))
        if self._tls is not None and self._tls.ended and not self.closed:
            self._write_sealed(self._tls.end())
            assert self._transport
            self._transport.close()
            self._over(self._code, "the peer has closed the connection")
        if not self.closed:
            self._schedule()

    def eof_received(self) -> bool:
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        cut = self._tls is not None and not self._tls.ended
        self._over(self._code, self._text or (str(exc) if exc else "the connection was cut off: what came last may be missing" if cut
                                              else "the peer has closed the connection"))

    def pause_writing(self) -> None:
        self._paused = True

    def resume_writing(self) -> None:
        self._paused = False
        self._flush()

    # ---- the life of a connection

    def _too_late(self) -> None:
        self._text = "no handshake in time: does the other side speak STREAM over plain TCP?"
        self._abort()

    def _greet(self) -> bool:
        data = self._input
        if bytes(data[:4]) != MAGIC[:len(data)]:
            raise WireError("not a handshake: " + repr(bytes(data[:16])))
        if len(data) < HANDSHAKE_BYTES:
            return False
        said = bytes(data[:HANDSHAKE_BYTES])
        peer = Handshake.decode(said)
        self._crc = self.own.agree(peer)
        del data[:HANDSHAKE_BYTES]
        self.peer = peer
        self._limit = min(self.own.page, peer.page)
        self._tx_data, self._tx_control = peer.data, peer.control
        self._said = said
        if self.settings.tls is not None:
            self._opened = bytearray()
            self._tls = Tls(self.settings.tls, self.own.role == CONNECTS, self._host, self.own.encode(), said)
            self._write_sealed(self._tls.begin())
        else:
            self._meet()
        return True

    def _meet(self) -> None:
        """Both sides have agreed on how they talk."""
        shown = self.settings.credentials
        if shown is not None and self.own.role == CONNECTS:
            self._access = Access(*shown, self._said, self.own.encode())
        else:
            self._open()

    def _unseal(self, tls: Tls) -> bool:
        """Opens what has come. False as long as there can be no page."""
        data = self._input
        most = sealed_size(self.own.page)
        while len(data) >= 4 and not tls.ended:
            length = _U32.unpack_from(data)[0]
            if length > most:
                raise WireError(f"a sealed message of {length} bytes")
            if len(data) - 4 < length:
                break
            message = bytes(data[4:4 + length])
            del data[:4 + length]
            before = tls.greeted
            content, answer = tls.receive(message)
            self._write_sealed(answer)
            if content is not None:
                self._opened += _U32.pack(len(content)) + content
            if tls.greeted and not before:
                self._meet()
        return tls.greeted

    def _write_sealed(self, messages: list[bytes]) -> None:
        assert self._transport
        for message in messages:
            self._transport.write(_U32.pack(len(message)) + message)

    def _write(self, message: bytes) -> None:
        """Sends a page, or a message before the first one."""
        self._write_sealed([message if self._tls is None else self._tls.seal(message)])

    def _prove(self, access: Access) -> bool:
        data = self._opened
        while len(data) >= 4 and self._access is not None:
            length = _U32.unpack_from(data)[0]
            if length > _ACCESS:
                raise WireError(f"a message of {length} bytes before it is known who connects")
            if len(data) - 4 < length:
                break
            answer = access.receive(bytes(data[4:4 + length]))
            del data[:4 + length]
            if answer:
                self._write(answer)
            if access.accepted:
                self._access = None
                self._open()
        return self._access is None

    def _open(self) -> None:
        if self._timer:
            self._timer.cancel()
        self._keep_alive()
        self.opened.set_result(None)
        self.netio.opened(self)

    def _keep_alive(self) -> None:
        """Looks every third of the shorter interval whether something must be sent, or should have arrived."""
        assert self.peer
        now = self.loop.time()
        own, peer = self.settings.keepalive, self.peer.keepalive_ms / 1000
        if peer and now - self._last_in > 3 * peer:
            self._text = f"the peer has sent nothing for {3 * peer} s"
            self._abort()
            return
        if own and now - self._last_out > own / 3:
            self.ping()
            self._flush()
        shortest = min(x for x in (own, peer, 1e9) if x)
        self._timer = self.loop.call_later(shortest / 3, self._keep_alive)

    def fail(self, text: str) -> None:
        """The peer has broken the rules: says so, and closes."""
        self.close(Code.BROKEN_RULES, text)

    def close(self, code: int = Code.COMPLETE, text: str = "") -> None:
        """Closes; a code other than COMPLETE is told to the peer. What was written before is still sent."""
        if self.closed or self._transport is None:
            return
        may_say = self.peer is not None and (self._tls is None or self._tls.greeted)
        if code and may_say and not self._transport.is_closing():
            self._flush()
            if self._may_send_control():
                said = text.encode()[:_TEXT]
                self._send_page(bytearray(_U32.pack(ERROR << 24 | 8 + len(said)) + _TWO.pack(NO_STREAM, code) + said), False)
        if self._tls is not None and not self._transport.is_closing():
            self._write_sealed(self._tls.end())
        self._transport.close()
        self._over(code, text)

    def _abort(self) -> None:
        if self._transport:
            self._transport.abort()
        self._over(Code.LOST, self._text)

    def _over(self, code: int, text: str) -> None:
        if self.closed:
            return
        self.closed = True
        if self._timer:
            self._timer.cancel()
        if not self.opened.done():
            self.opened.set_exception(ConnectionError(text or "the connection was closed"))
            self.opened.exception()  # nobody has to ask
        for stream in list(self._ins.values()):
            stream.end(Code.LOST, text)
        outs = list(self._outs.values())
        self._ins.clear()
        self._outs.clear()
        for out in outs:
            out.ended = True
            self.netio.left(out)
            out.on_room()
        for requester in self._requesters:
            requester.lost(text)
        for responder in self._responders:
            responder.lost()
        self._room.tell()
        self.netio.closed(self)
        self.on_closed(max(code, 0), text)

    # ---- reading

    def _take_pages(self) -> None:
        data = self._opened
        at, end = 0, len(data)
        view = memoryview(data)
        try:
            while end - at >= 4 and not self.closed:
                length = _U32.unpack_from(data, at)[0]
                if length > self.own.page or length < (8 if self._crc else 4):
                    raise WireError(f"a page of {length} bytes")
                if end - at - 4 < length:
                    break
                at += 4
                self._take_page(bytes(view[at:at + length]))
                at += length
        finally:
            view.release()
            if not self.closed:
                del data[:at]

    def _take_page(self, page: bytes) -> None:
        data, control, flags = _PAGE.unpack_from(page)
        if flags & ~(PAGE_CRC | PAGE_DATA) or bool(flags & PAGE_CRC) != self._crc:
            raise WireError(f"a page with flags {flags:#x}")
        at = 4
        if self._crc:
            at = 8
            if crc32c(page[8:], crc32c(page[:4])) != _U32.unpack_from(page, 4)[0]:
                raise WireError("the checksum does not fit")
        assert self.peer
        self._tx_data += data
        self._tx_control += control
        if self._tx_data > self.peer.data or self._tx_control > self.peer.control:
            raise WireError("more credits than there are")
        is_data = bool(flags & PAGE_DATA)
        if (self._rx_data if is_data else self._rx_control) == 0:
            raise WireError("a page without credit")
        if is_data:
            self._rx_data -= 1
        else:
            self._rx_control -= 1
        if self._frames(page, at, is_data) != is_data:
            raise WireError("DATA without the page's flag, or the flag without DATA")
        if is_data:
            self._owe_data += 1
        else:
            self._owe_control += 1

    def _frames(self, page: bytes, at: int, may: bool) -> bool:
        """Takes the frames. Returns whether there was DATA."""
        end = len(page)
        view = memoryview(page)
        stream: InStream | None = None
        tag = 0
        any_data = False
        unpack = _U32.unpack_from
        try:
            while at < end:
                word = unpack(page, at)[0]
                at += 4
                flags, length = word >> 24, word & 0xFFFFFF
                if flags & 0x80:
                    if end - at < length:
                        raise WireError("a frame that is cut off")
                    self._control_frame(flags, page[at:at + length])
                    at += length
                    if self.closed:
                        return may
                    continue
                if flags & 0x60 or not may:
                    raise WireError(f"a DATA frame with flags {flags:#x}")
                any_data = True
                if flags & STREAM:
                    number = unpack(page, at)[0]
                    at += 4
                    stream = self._ins.get(number)
                    if stream is None:
                        raise WireError(f"DATA of stream {number}, which is not open")
                    tag = stream.own_tag
                if stream is None:
                    raise WireError("DATA of no stream")
                total = 0
                if flags & (FIRST | LAST) == FIRST:
                    total = unpack(page, at)[0]
                    at += 4
                status = 0
                if flags & (TAG | STATUS):
                    if not flags & FIRST:
                        raise WireError("a tag or status amid a message")
                    if flags & TAG:
                        tag = _U64.unpack_from(page, at)[0]
                        at += 8
                    if flags & STATUS:
                        status = page[at]
                        at += 1
                if end - at < length:
                    raise WireError("a payload that is cut off")
                payload = view[at:at + length]
                at += length
                if stream.ended:
                    raise WireError(f"DATA of stream {stream.number}, which has ended")
                if flags & FIRST and flags & LAST:
                    if length > self.own.message:
                        raise WireError(f"a message of {length} bytes")
                    stream.begin()
                    stream.whole(payload, tag, status)
                else:
                    self._part(stream, flags, payload, total, tag, status)
                if self.closed:
                    return may
        except (struct.error, IndexError) as e:
            raise WireError("a frame that is cut off") from e
        return any_data

    def _part(self, stream: InStream, flags: int, payload: memoryview, total: int, tag: int, status: int) -> None:
        if flags & FIRST:
            if not len(payload) < total < 1 << 31 or total > self.own.message:
                raise WireError(f"a message of {total} bytes")
            stream.begin()
            if self.reserved_in + total > self.own.budget:
                raise WireError("messages in parts beyond the budget")
            self.reserved_in += total
            stream.parts = bytearray(payload)
            stream.total = total
            stream.head = (tag, status)
            return
        parts = stream.parts
        if parts is None:
            raise WireError(f"a part of no message, of stream {stream.number}")
        if not len(payload):
            raise WireError("a part of no bytes")
        parts += payload
        if len(parts) > stream.total or bool(flags & LAST) != (len(parts) == stream.total):
            raise WireError(f"parts that do not add up to {stream.total} bytes")
        if flags & LAST:
            stream.drop_parts()
            stream.whole(bytes(parts), *stream.head)

    def _control_frame(self, kind: int, content: bytes) -> None:
        length = len(content)
        if kind == ERROR:
            if not 8 <= length <= 8 + _TEXT:
                raise WireError(f"an ERROR of {length} bytes")
        elif kind in LENGTHS:
            if length not in LENGTHS[kind]:
                raise WireError(f"a frame {kind:#x} of {length} bytes")
        elif kind >= 0xC0:
            raise WireError(f"an unknown frame {kind:#x}")
        else:
            return
        number = _U32.unpack_from(content)[0]
        if kind == PING:
            self._pongs = self._pongs[:1] + [_U64.unpack(content)[0]]
        elif kind == PONG:
            value = _U64.unpack(content)[0]
            self._responders = [one for one in self._responders if not one.is_over(value)]
        elif kind == ERROR:
            code = _U32.unpack_from(content, 4)[0]
            text = content[8:].decode(errors="replace")
            if number == NO_STREAM:
                self._code, self._text = code, text
                assert self._transport
                self._transport.close()
                self._over(code, text)
            else:
                self._ended(number, code, text)
        elif number == NO_STREAM:
            raise WireError(f"a frame {kind:#x} of stream {NO_STREAM}")
        elif kind == SUBSCRIBE:
            self._subscribed(content)
        elif kind == REQUEST:
            n = _U64.unpack_from(content, 4)[0]
            if not 1 <= n <= UNBOUNDED:
                raise WireError(f"REQUEST of {n} messages")
            out = self._outs.get(number)
            if out and not out.ended:
                out.demand = min(out.demand + n, UNBOUNDED)
                self.ready(out)
                out.on_demand()
        elif kind == CANCEL:
            out = self._outs.get(number)
            if out and not out.ended:
                out.clear()
                out.dropped = 0
                out.ending = (Code.CANCELLED, "cancelled")
                self.ready(out)
                out.on_cancelled()
        elif kind == COMPLETE:
            count = _U64.unpack_from(content, 4)[0]
            stream = self._ins.get(number)
            if stream is None or stream.parts is not None or count != stream.arrived:
                raise WireError(f"COMPLETE of {count} messages, of stream {number}")
            self._ended(number, Code.COMPLETE, "")
        elif kind == DROPPED:
            count = _U64.unpack_from(content, 4)[0]
            if not 1 <= count <= UNBOUNDED:
                raise WireError(f"DROPPED of {count} messages")
            stream = self._ins.get(number)
            if stream and not stream.ended and not stream.cancelled:
                stream.on_dropped(count)
        elif kind == SUBSCRIBED:
            if length == 20 and content[12:] == bytes(8):
                raise WireError("run 0 is none")
        elif kind == QUEUED:
            waiting, limit = _TWO.unpack_from(content, 4)
            if waiting >= 1 << 31 or not 1 <= limit < 1 << 31:
                raise WireError(f"QUEUED with {waiting} of {limit}")

    def _ended(self, number: int, code: int, text: str) -> None:
        stream = self._ins.get(number)
        if stream is None or stream.ended:
            raise WireError(f"an end of stream {number}, which is not open")
        self._in_controls.pop(number, None)
        if number:
            del self._ins[number]
        stream.end(code, text)

    def _subscribed(self, content: bytes) -> None:
        number, kind, policy, zero, tag, second = struct.unpack("<IBBHQQ", content)
        tags = Tags(tag, second, kind)
        if number == 0 or number in self._outs or zero or policy > Policy.FAIL:
            raise WireError(f"SUBSCRIBE of stream {number} with policy {policy}")
        try:
            tags.check()
        except ValueError as e:
            raise WireError(str(e)) from e
        if len(self._outs) > self.own.streams:
            raise WireError(f"more than {self.own.streams} streams")
        out = OutStream(self, number, tags, 1)
        out.policy = Policy(policy)
        self._outs[number] = out
        self.netio.subscribed(out)

    # ---- for users

    async def send(self, payload: Payload, tag: int = 0, status: int = 0) -> None:
        """Sends a message on stream 0, and waits before that while there is no room. The payload is not copied."""
        data = as_bytes(payload)
        out = self.zero_out
        while out.is_full() and not out.ended and out.ending is None:
            await self._room.next()
        if out.ended or out.ending is not None:
            raise StreamError(Code.LOST if self.closed else Code.CANCELLED, "stream 0 has ended")
        if self.peer is None or len(data) > self.peer.message:
            raise ValueError(f"a message of {len(data)} bytes, where the peer takes {self.peer.message if self.peer else 0}")
        out.offer(Message(data, tag, status))

    def end(self, code: int = Code.COMPLETE, text: str = "") -> None:
        """Ends stream 0 behind what was sent."""
        self.zero_out.end(code, text)

    def receive(self, ahead: int = 1024) -> Subscription:
        """The messages that the peer sends on stream 0. Once for a connection."""
        return Subscription(self.zero_in, ahead)

    def subscribe(self, tags: Tags | int, policy: Policy = Policy.DEFAULT, ahead: int = 1024) -> Subscription:
        """Subscribes to tags."""
        return Subscription(self.open(tags, policy), ahead)

    def requester(self, tag: int) -> Requester:
        """Makes what sends requests to the peer's responder of this tag."""
        self._check_requests(tag)
        requester = Requester(self, tag)
        self._requesters.append(requester)
        self._serve_waiting()
        return requester

    def respond(self, tag: int, handler: Handler, concurrency: int = 16) -> Responder:
        """Answers the peer's requests with this tag, so many at a time. See Responder."""
        self._check_requests(tag)
        responder = Responder(self, tag, handler, concurrency)
        self._responders.append(responder)
        responder.begin()
        self._serve_waiting()
        return responder

    def _check_requests(self, tag: int) -> None:
        Tags(tag).check()
        if self.closed or self.peer is None:
            raise ConnectionError("the connection is not open")

    def _serve_waiting(self) -> None:
        for out in self.netio.waiting(self):
            if self.exchange(out):
                self.netio.taken(out)

    def exchange(self, out: OutStream) -> bool:
        """Whether the peer's subscription is one to requests or answers. Then it is served."""
        return out.tags.kind == 0 and (any(responder.subscribed(out) for responder in self._responders)
                                       or any(requester.subscribed(out) for requester in self._requesters))

    # ---- writing

    @property
    def has_headers(self) -> bool:
        """Whether both sides support headers of requests."""
        return self.peer is not None and bool(self.own.supported & self.peer.supported & FEATURE_HEADERS)

    def open(self, tags: Tags | int, policy: Policy = Policy.DEFAULT) -> InStream:
        """Subscribes. Nothing comes before more()."""
        tags = Tags(tags) if isinstance(tags, int) else tags
        tags.check()
        if self.closed or self.peer is None:
            raise ConnectionError("the connection is not open")
        if len(self._ins) > self.peer.streams:
            raise ConnectionError(f"the peer allows {self.peer.streams} streams")
        number = self._next
        self._next += 1
        stream = InStream(self, number, tags)
        stream.subscribe = _SUBSCRIBE.pack(SUBSCRIBE << 24 | 24, number, tags.kind, policy, 0, tags.tag, tags.second)
        self._ins[number] = stream
        self.control(stream)
        return stream

    def ping(self) -> int:
        """Sends a PING, and returns its value."""
        self._ping = True
        self._pings += 1
        self._schedule()
        return self._pings

    def control(self, stream: InStream) -> None:
        """The stream has something to say."""
        if stream.number in self._ins:
            self._in_controls[stream.number] = stream
            self._schedule()

    def ready(self, out: OutStream) -> None:
        """The stream has messages, an end, or something to say."""
        if not out.ended:
            self._ready[out.number] = out
            self._schedule()

    def _schedule(self) -> None:
        if not self._scheduled and not self.closed:
            self._scheduled = True
            self.loop.call_soon(self._flush)

    def _may_send_control(self) -> bool:
        return self._tx_control >= 2 or self._tx_control == 1 and self._owe_control > 0

    def _flush(self) -> None:
        self._scheduled = False
        while not self._paused and not self.closed and self.peer is not None and self._page():
            pass

    def _page(self) -> bool:
        """Sends a page if there is something to send, and a credit for it."""
        header = 8 if self._crc else 4
        data = bytearray()
        if self._tx_data and self._ready:
            self._write_data(data, self._limit - header - _CONTROL_ROOM)
        if not data and not self._may_send_control():
            return False
        body = bytearray()
        room = self._limit - header - len(data)
        self._write_controls(body, room)
        body += data
        if self._write_ends(body, self._limit - header) and not self._in_controls:
            self._write_pings(body, self._limit - header)
        if not body and self._owe_control < 2 and not (self._owe_data and self._rx_data <= self.own.data // 2):
            return False
        self._send_page(body, bool(data))
        return True

    def _send_page(self, body: bytearray, is_data: bool) -> None:
        flags = (PAGE_CRC if self._crc else 0) | (PAGE_DATA if is_data else 0)
        data, control = min(self._owe_data, 0xFFFF), min(self._owe_control, 0xFF)
        head = _PAGE.pack(data, control, flags)
        self._rx_data += data
        self._rx_control += control
        self._owe_data -= data
        self._owe_control -= control
        if is_data:
            self._tx_data -= 1
        else:
            self._tx_control -= 1
        if self._crc:
            head += _U32.pack(crc32c(body, crc32c(head)))
        self._last_out = self.loop.time()
        self._write(head + body)

    def _write_data(self, page: bytearray, limit: int) -> None:
        assert self.peer
        for number, out in list(self._ready.items()):
            if limit - len(page) < 128 and page:
                return
            if out.has_data():
                had = len(out.queue)
                if not out.write(page, limit, self.peer.budget):
                    continue
                if out.queue:
                    self._ready.pop(number, None)  # behind the others
                    self._ready[number] = out
                if len(out.queue) < had:
                    out.on_room()
                    self._room.tell()

    def _write_controls(self, page: bytearray, room: int) -> None:
        while self._in_controls and room - len(page) >= 64:
            number, stream = next(iter(self._in_controls.items()))
            del self._in_controls[number]
            if stream.subscribe:
                page += stream.subscribe
                stream.subscribe = None
            if stream.ask and not stream.cancelled:
                page += _NUMBERED.pack(REQUEST << 24 | 12, number, stream.grant())
                if stream.before is not None:
                    self.ready(stream.before)
            if stream.tell_cancel:
                page += _TWO.pack(CANCEL << 24 | 4, number)
                stream.tell_cancel = False

    def _write_pings(self, page: bytearray, limit: int) -> None:
        """Behind all other control frames, because a PONG says that they have come."""
        while self._pongs and limit - len(page) >= 12:
            page += _U32.pack(PONG << 24 | 8) + _U64.pack(self._pongs.pop(0))
        if self._ping and limit - len(page) >= 12:
            page += _U32.pack(PING << 24 | 8) + _U64.pack(self._pings)
            self._ping = False

    def _write_ends(self, page: bytearray, limit: int) -> bool:
        """Writes what streams have to say. False if there was no room for all."""
        for number, out in list(self._ready.items()):
            if limit - len(page) < 16 + 12 + _TEXT:
                return False
            if out.dropped:
                page += _NUMBERED.pack(DROPPED << 24 | 12, number, out.dropped)
                out.dropped = 0
            if out.ending and not out.queue:
                code, text = out.ending
                if code == Code.COMPLETE:
                    page += _NUMBERED.pack(COMPLETE << 24 | 12, number, out.count)
                else:
                    said = text.encode()[:_TEXT]
                    page += _U32.pack(ERROR << 24 | 8 + len(said)) + _TWO.pack(number, code) + said
                out.ended = True
                if number:
                    self._outs.pop(number, None)
                self.netio.left(out)
                out.on_room()
            if out.ended or not out.has_data():
                self._ready.pop(number, None)
        return True
