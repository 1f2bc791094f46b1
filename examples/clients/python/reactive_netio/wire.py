# SPDX-License-Identifier: Apache-2.0
"""The wire format: constants, the handshake, and sets of tags. See docs/wire-format.md."""

from __future__ import annotations

import ssl
import struct
from dataclasses import dataclass, field
from enum import IntEnum

from .crc32c import crc32c

UNBOUNDED = (1 << 63) - 1
NO_STREAM = 0xFFFFFFFF
MAGIC = b"NIO\xff"
HANDSHAKE_BYTES = 48
CONNECTS, ACCEPTS = 1, 2
FEATURE_CRC, FEATURE_HEADERS, FEATURE_TLS, FEATURE_ACCESS = 1, 2, 8, 16
LARGEST_PAGE = 1 << 24

FIRST, LAST, STREAM, TAG, STATUS = 1, 2, 4, 8, 16
PAGE_CRC, PAGE_DATA = 1, 2

SUBSCRIBE, REQUEST, CANCEL, COMPLETE, ERROR, PING, PONG = range(0xC1, 0xC8)
SUBSCRIBED, DROPPED, QUEUED = range(0x88, 0x8B)
LENGTHS = {SUBSCRIBE: (24,), REQUEST: (12,), CANCEL: (4,), COMPLETE: (12,), PING: (8,), PONG: (8,), SUBSCRIBED: (12, 20),
           DROPPED: (12,), QUEUED: (12,)}

_FORMAT = struct.Struct("<4sBBBBIIIHBBIIQI")


class Code(IntEnum):
    """Why a stream or a connection has ended: COMPLETE, and the codes of ERROR. LOST: the connection ended without a word."""

    LOST = -1
    COMPLETE = 0
    CANCELLED = 1
    SOURCE_FAILED = 2
    NOT_SERVED = 3
    LIMIT = 4
    TOO_SLOW = 5
    BROKEN_RULES = 6
    SHUTDOWN = 7
    FORBIDDEN = 8


class Policy(IntEnum):
    """What happens when a subscriber is slow."""

    DEFAULT = 0
    WAIT = 1
    NEWEST = 2
    OLDEST = 3
    FAIL = 4


class WireError(Exception):
    """The peer has broken the rules of the wire format."""


class StreamError(Exception):
    """A stream has ended with an ERROR, or with its connection (code LOST)."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(f"{Code(code).name if code in list(Code) else code}: {text}")
        self.code = code


@dataclass(frozen=True)
class Tags:
    """A set of tags: tag alone (kind 0), tag to second (kind 1), or each t with t & second == tag (kind 2)."""

    tag: int
    second: int = 0
    kind: int = 0

    @staticmethod
    def range(first: int, last: int) -> Tags:
        return Tags(first, last, 1)

    @staticmethod
    def mask(tag: int, mask: int) -> Tags:
        return Tags(tag, mask, 2)

    def __contains__(self, tag: int) -> bool:
        if self.kind == 0:
            return tag == self.tag
        return self.tag <= tag <= self.second if self.kind == 1 else tag & self.second == self.tag

    def meets(self, other: Tags) -> bool:
        """Whether some tag may be in both. Two sets of which one is exact, and two ranges, are told exactly."""
        if other.kind == 0:
            return other.tag in self
        if self.kind == 0:
            return self.tag in other
        if self.kind == 1 and other.kind == 1:
            return self.tag <= other.second and other.tag <= self.second
        if self.kind == 2 and other.kind == 2:
            return (self.tag ^ other.tag) & self.second & other.second == 0
        span, mask = (self, other) if self.kind == 1 else (other, self)
        return mask.smallest_from(span.tag) <= span.second

    def smallest_from(self, least: int) -> int:
        """The smallest tag of a mask's set that is not below least; 2^64 if there is none."""
        free = ~self.second & (1 << 64) - 1
        if least in self:
            return least
        for bit in range(64):  # the lowest bit that can be raised above least, those below it as small as can be
            one = 1 << bit
            high = (least >> bit + 1) << bit + 1
            if least & one == 0 and (free & one or self.tag & one):
                candidate = high | one | (self.tag & one - 1)
                if candidate in self:
                    return candidate
        return 1 << 64

    def check(self) -> None:
        top = (1 << 64) - 1
        if (not 0 <= self.tag <= top or not 0 <= self.second <= top or self.kind not in (0, 1, 2)
                or self.kind == 0 and self.second or self.kind == 1 and self.tag > self.second
                or self.kind == 2 and self.tag & ~self.second):
            raise ValueError(f"{self} is no set of tags")


@dataclass(frozen=True)
class Settings:
    """The limits of a connection. Sizes are bytes, times are seconds."""

    checksums: bool = False
    page: int = 61440
    data_pages: int = 28
    control_pages: int = 8
    message: int = 64 << 20
    streams: int = 4096
    keepalive: float = 15.0
    handshake: float = 10.0
    wait: float = 1.0
    """How long a subscription waits for its tags to be served."""
    queue: int = 1024
    """Messages that wait on stream 0 at most."""
    credentials: tuple[str, bytes] | None = field(default=None, repr=False)
    """The name and the secret that a side which connects has to know."""
    tls: ssl.SSLContext | None = None
    """Seals everything with TLS. A listener's context has a certificate, and the other one whom it trusts."""
    tls_name: str | None = None
    """The name in the listener's certificate, unless it is the host that is connected to."""


@dataclass(frozen=True)
class Handshake:
    """What each side says first."""

    role: int
    page: int
    data: int
    control: int
    message: int
    streams: int
    budget: int
    keepalive_ms: int
    required: int = 0
    supported: int = FEATURE_CRC | FEATURE_HEADERS
    lowest: int = 1
    highest: int = 1
    framing: int = 2

    @staticmethod
    def of(settings: Settings, role: int) -> Handshake:
        needed = FEATURE_ACCESS if settings.credentials is not None and role == CONNECTS else 0
        needed |= FEATURE_TLS if settings.tls is not None else 0
        return Handshake(role, settings.page, settings.data_pages, settings.control_pages, settings.message, settings.streams,
                         max(128 << 20, 2 * settings.message), round(settings.keepalive * 1000),
                         (FEATURE_CRC if settings.checksums else 0) | needed, FEATURE_CRC | FEATURE_HEADERS | needed)

    def encode(self) -> bytes:
        body = _FORMAT.pack(MAGIC, self.lowest, self.highest, self.framing, self.role, self.supported, self.required, self.page,
                            self.data, self.control, HANDSHAKE_BYTES, self.message, self.streams, self.budget, self.keepalive_ms)
        return body + struct.pack("<I", crc32c(body))

    @staticmethod
    def decode(data: bytes) -> Handshake:
        (magic, lowest, highest, framing, role, supported, required, page, data_pages, control, length, message, streams, budget,
         keepalive) = _FORMAT.unpack(data[:44])
        if magic != MAGIC:
            raise WireError("not a handshake: " + repr(bytes(data[:16])))
        if not 1 <= lowest <= highest:
            raise WireError(f"versions {lowest} to {highest}")
        if lowest > 1:
            raise WireError(f"the peer speaks version {lowest} or later, this side 1")
        if length != HANDSHAKE_BYTES or crc32c(data[:44]) != struct.unpack_from("<I", data, 44)[0]:
            raise WireError("a handshake whose length or checksum does not fit")
        if (role not in (CONNECTS, ACCEPTS) or required & ~supported or not 1024 <= page <= LARGEST_PAGE or data_pages < 1
                or control < 3 or not 1 <= message < 1 << 31 or streams > 1 << 24 or not message <= budget <= UNBOUNDED
                or keepalive and not 10 <= keepalive <= 3_600_000):
            raise WireError("a handshake with a value that cannot be")
        return Handshake(role, page, data_pages, control, message, streams, budget, keepalive, required, supported, lowest,
                         highest, framing)

    def agree(self, peer: Handshake) -> bool:
        """Returns whether checksums are used with the peer."""
        if self.framing != peer.framing:
            raise WireError(f"the peer has framing {peer.framing}, this side {self.framing}")
        if self.role == peer.role:
            raise WireError("both sides connect, or both accept")
        if (peer.required ^ self.required) & FEATURE_TLS:
            raise WireError("one side only has TLS: both need it, or none")
        if (peer.required ^ self.required) & FEATURE_ACCESS:
            raise WireError("one side only wants to know who connects: credentials belong to a listener that asks for them")
        if peer.required & ~self.supported or self.required & ~peer.supported:
            raise WireError(f"a feature is required that one side does not support: {peer.required:#x}, {self.required:#x}")
        return bool((self.required | peer.required) & FEATURE_CRC)
