# SPDX-License-Identifier: Apache-2.0
"""How a side that connects shows who it is, between the handshakes and the first page."""

from __future__ import annotations

import hashlib
import hmac
import os

from .wire import WireError

CHALLENGE, SECRET, ACCEPTED, REFUSED = 1, 2, 4, 5
CONNECTING, ACCEPTING = b"\x01", b"\x02"
RANDOM = 32


class Access:
    """The exchange of one connection, in which both sides prove that they know a secret."""

    def __init__(self, name: str, secret: bytes, accepting: bytes, connecting: bytes) -> None:
        self.accepted = False
        self._name = name.encode()
        self._secret = secret
        self._handshakes = accepting + connecting
        self._expected: bytes | None = None

    def proof(self, side: bytes, challenge: bytes, answer: bytes) -> bytes:
        return hmac.new(self._secret, side + self._handshakes + challenge + answer + self._name, hashlib.sha256).digest()

    def receive(self, message: bytes) -> bytes:
        """Returns what to answer; nothing when all is said."""
        kind, rest = message[:1], message[1:]
        if kind == bytes([CHALLENGE]) and len(rest) == RANDOM and self._expected is None:
            answer = os.urandom(RANDOM)
            self._expected = self.proof(ACCEPTING, rest, answer)
            return bytes([SECRET, len(self._name)]) + self._name + answer + self.proof(CONNECTING, rest, answer)
        if kind == bytes([ACCEPTED]) and self._expected is not None:
            if not hmac.compare_digest(self._expected, rest):
                raise WireError("the other side does not know the secret")
            self.accepted = True
            return b""
        if kind == bytes([REFUSED]):
            raise WireError("the other side has refused this one: " + rest.decode(errors="replace"))
        raise WireError(f"a message of {len(message)} bytes before it is known who connects")
