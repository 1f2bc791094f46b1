# SPDX-License-Identifier: Apache-2.0
"""How pages are sealed with TLS: a message of the transport is one or more whole records."""

from __future__ import annotations

import ssl
import struct

from .wire import WireError

_PAGE, _GREETING = b"\x00", b"\x01"
_HEADER = struct.Struct(">BHH")
_RECORD = 16384
_OWN = 17920


def sealed_size(page: int) -> int:
    """The bytes that a page of this size has at most when it is sealed."""
    return max(_OWN, page + 1 + 352 * (page // _RECORD + 1) + 1024)


class Tls:
    """The TLS of one connection. A side that connects begins."""

    def __init__(self, context: ssl.SSLContext, connects: bool, name: str | None, own: bytes, peer: bytes) -> None:
        self._in = ssl.MemoryBIO()
        self._out = ssl.MemoryBIO()
        self._engine = context.wrap_bio(self._in, self._out, not connects, name if connects else None)
        self._own = own
        self._peer = peer
        self._shaken = False
        self.greeted = False
        """Whether the handshake is done, and both sides have said the same in the clear and within."""
        self.ended = False
        """Whether the peer has said that nothing follows."""

    def begin(self) -> list[bytes]:
        """Returns the messages that begin the handshake."""
        self._shake()
        return self._said()

    def _shake(self) -> None:
        try:
            self._engine.do_handshake()
        except ssl.SSLWantReadError:
            return
        self._shaken = True

    def _said(self) -> list[bytes]:
        """What the engine has to say: whole records, as many in a message as may be."""
        records = self._out.read()
        messages, begun, at = [], 0, 0
        while at < len(records):
            _, _, length = _HEADER.unpack_from(records, at)
            end = at + _HEADER.size + length
            if end - begun > _OWN and at > begun:
                messages.append(records[begun:at])
                begun = at
            at = end
        return messages + [records[begun:]] if records else messages

    def receive(self, message: bytes) -> tuple[bytes | None, list[bytes]]:
        """Returns the page that a message has, if it has one, and what to answer. Raises WireError and ssl.SSLError."""
        if not message:
            raise WireError("a sealed message without a record")
        self._in.write(message)
        if not self._shaken:
            try:
                self._shake()
            except ssl.SSLError as e:
                raise WireError(f"no TLS with the other side: {e.reason or e}") from e
            answer = self._said()
            if self._shaken:
                answer.append(self._seal(self._own + _GREETING))
            if not self._shaken:
                return None, answer
        else:
            answer = []
        content = self._open()
        answer += self._said()
        if not content:
            return None, answer
        if not self.greeted:
            if content != self._peer + _GREETING:
                raise WireError("what the other side said before TLS was changed on its way")
            self.greeted = True
            return None, answer
        if content[-1:] != _PAGE:
            raise WireError(f"a sealed message of kind {content[-1]}")
        return content[:-1], answer

    def _open(self) -> bytes:
        content = bytearray()
        while True:
            try:
                some = self._engine.read(_RECORD)
                self.ended = not some
                content += some
            except ssl.SSLWantReadError:
                return bytes(content)
            except ssl.SSLZeroReturnError:
                self.ended = True
            except ssl.SSLError as e:
                raise WireError(f"TLS: {e.reason or e}") from e
            if self.ended:
                return bytes(content)

    def _seal(self, content: bytes) -> bytes:
        self._engine.write(content)
        return self._out.read()

    def seal(self, page: bytes) -> bytes:
        """Returns the message that has the page."""
        return self._seal(page + _PAGE)

    def end(self) -> list[bytes]:
        """Returns the messages that say that nothing follows."""
        if not self._shaken:
            return self._said()
        try:
            self._engine.unwrap()
        except (ssl.SSLError, OSError):
            pass  # it waits for the peer's, which nobody needs
        return self._said()
