# SPDX-License-Identifier: Apache-2.0
"""What is only bytes: checksums, sets of tags, docs/wire-vectors.txt, and pages that are wrong."""

import asyncio
import pathlib
import random
import re
import unittest

from reactive_netio import Code, Netio, Settings, Tags, WireError
from reactive_netio.access import Access
from reactive_netio.connection import Connection
from reactive_netio.crc32c import _update, crc32c
from reactive_netio.requests import decode_headers, encode_headers
from reactive_netio.wire import ACCEPTS, CONNECTS, UNBOUNDED, Handshake

PAGE = pathlib.Path(__file__).parents[4] / "docs" / "wire-vectors.txt"


class AccessTest(unittest.TestCase):
    def test_the_proof_is_that_of_the_wire_document(self):
        access = Access("reader", bytes(range(32)), bytes(48), b"\x01" * 48)
        proofs = [access.proof(side, b"\x02" * 32, b"\x03" * 32).hex() for side in (b"\x01", b"\x02")]
        for proof in proofs:
            self.assertIn(proof, PAGE.read_text(encoding="utf-8"))

    def test_a_server_that_is_none_is_refused(self):
        for messages in ([b""], [b"\x01"], [b"\x04"], [b"\x04" + bytes(32)], [b"\x05no"], [b"\x01" + bytes(32)] * 2,
                         [b"\x01" + bytes(32), b"\x04" + bytes(32)], [b"\x01" + bytes(32), b"\x04"], [b"\x09" + bytes(32)]):
            access = Access("reader", bytes(32), bytes(48), bytes(48))
            with self.assertRaises(WireError):
                for message in messages:
                    access.receive(message)
            self.assertFalse(access.accepted)


class Transport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self):
        super().__init__()
        self.written = bytearray()
        self.closed = False

    def write(self, data):
        self.written += data

    def close(self):
        self.closed = True

    def abort(self):
        self.closed = True

    def is_closing(self):
        return self.closed

    def set_write_buffer_limits(self, high=None, low=None):
        pass


def vectors(kind):
    """The vectors of a kind: their bytes, what they mean, and why they are refused."""
    for block in re.findall(rf"```vector {re.escape(kind)} \w+\n(.*?)```", PAGE.read_text(), re.DOTALL):
        lines = block.splitlines()
        data = bytes.fromhex("".join(line.partition("#")[0] for line in lines if line[0] not in "=!"))
        yield data, [line[2:] for line in lines if line[0] == "="], [line[2:] for line in lines if line[0] == "!"]


def connected(settings=Settings(), **peer):
    """A connection without a network, with a peer that has sent its handshake."""
    connection = Connection(Netio(), settings, False)
    connection.connection_made(Transport())
    connection.data_received(Handshake.of(Settings(**peer), CONNECTS).encode())
    return connection


class BytesTest(unittest.TestCase):
    def test_crc_is_castagnoli_at_every_length(self):
        self.assertEqual(crc32c(b"123456789"), 0xE3069283)
        data = random.Random(1).randbytes(3000)
        for length in [*range(20), 255, 256, 511, 512, 513, 1024, 2999]:
            slow = _update(0xFFFFFFFF, data[:length]) ^ 0xFFFFFFFF
            self.assertEqual(crc32c(data[:length]), slow)
            self.assertEqual(crc32c(data[length // 2:length], crc32c(data[:length // 2])), slow)

    def test_sets_of_tags_meet_where_they_have_a_tag_in_common(self):
        draw = random.Random(2)

        def some():
            kind = draw.randrange(3)
            if kind == 0:
                return Tags(draw.randrange(64))
            if kind == 1:
                return Tags.range(*sorted((draw.randrange(64), draw.randrange(64))))
            mask = draw.randrange(64)
            return Tags.mask(draw.randrange(64) & mask, mask | ~63 & (1 << 64) - 1)
        for _ in range(3000):
            one, other = some(), some()
            common = any(tag in one and tag in other for tag in range(64))
            self.assertEqual((one.meets(other), other.meets(one)), (common, common), f"{one} {other}")

    def test_wrong_sets_of_tags_are_refused(self):
        for tags in [Tags(-1), Tags(1 << 64), Tags.range(5, 4), Tags.mask(3, 1), Tags(1, 1), Tags(0, 0, 3)]:
            self.assertRaises(ValueError, tags.check)

    def test_handshakes_mean_what_the_page_says(self):
        count = 0
        for data, meaning, refused in vectors("handshake"):
            count += 1
            if refused:
                self.assertRaises(WireError, Handshake.decode, data.ljust(48, b"\0"))
                continue
            h = Handshake.decode(data)
            self.assertEqual(meaning, [
                f"handshake role={h.role} lowest={h.lowest} highest={h.highest} framing={h.framing} supported={h.supported:08x}"
                f" required={h.required:08x} page={h.page} data={h.data} control={h.control} message={h.message}"
                f" streams={h.streams} budget={h.budget} keepalive={h.keepalive_ms}"])
            self.assertEqual(h.encode(), data)
        self.assertEqual(count, 3)

    def test_headers_mean_what_the_page_says(self):
        count = 0
        for data, meaning, refused in vectors("request"):
            count += 1
            if refused:
                self.assertRaises(WireError, decode_headers, data)
                continue
            headers, used = decode_headers(data)
            said = [f"header key={key.encode().hex()} value={value.encode().hex() or '-'}" for key, value in headers.items()]
            self.assertEqual(meaning, said + [f"request payload={data[used:].hex() or '-'}"])
            if headers:
                self.assertEqual(encode_headers(headers), data[:used])
        self.assertEqual(count, 11)

    def test_too_many_headers_are_left_out(self):
        self.assertEqual(encode_headers({str(n): "" for n in range(65)}), b"")
        self.assertEqual(encode_headers({"a": "x" * 4093}), b"")
        self.assertRaises(ValueError, encode_headers, {"": "x"})


class PagesTest(unittest.IsolatedAsyncioTestCase):
    def read(self, page, crc=False):
        connection = connected(checksums=crc)
        received = []
        for _ in range(9):
            connection.open(1)
        for number, stream in connection._ins.items():
            stream.granted = UNBOUNDED
            stream.on_message = lambda m, number=number: received.append((number, m.tag, m.status, bytes(m.payload)))
        ends = []
        connection.on_closed = lambda code, text: ends.append(code)
        connection.data_received(len(page).to_bytes(4, "little") + page)
        connection.close()
        return received, ends

    async def test_pages_are_refused_as_the_page_says(self):
        count = 0
        for crc in (False, True):
            for page, _, refused in vectors("stream+crc" if crc else "stream"):
                if b"\xc4\x00\x00\x00\x00\xe8" in page:  # COMPLETE of messages that did not come
                    continue
                if page[:3] in (b"\x03\x00\x01", b"\x00\x02\xff", b"\x01\x00\x00"):  # credits that are not out
                    page = bytes(3) + page[3:]
                    if crc:
                        body = page[8:]
                        page = page[:4] + (crc32c(body, crc32c(page[:4])) ^ bool(refused)).to_bytes(4, "little") + body
                _, ends = self.read(page, crc)
                self.assertEqual(ends, [Code.BROKEN_RULES if refused else Code.COMPLETE], f"{page.hex()} {refused}")
                count += 1
        self.assertEqual(count, 14)

    async def test_data_means_what_the_page_says(self):
        pages = [page for page, _, _ in vectors("stream")]
        received, _ = self.read(bytes(3) + pages[0][3:])
        self.assertEqual(received, [(5, 1, 0, b"hi"), (5, 1, 0, b"!"), (9, 42, 1, b"a"), (9, 42, 0, b"b"), (9, 1, 0, b"c")])
        received, _ = self.read(pages[1])
        self.assertEqual(received, [(7, 255, 2, b"abcde")])

    async def test_bytes_by_chance_end_the_connection_and_nothing_else(self):
        draw = random.Random(3)
        pages = [page for kind in ("stream", "stream+crc") for page, _, _ in vectors(kind)]
        broken = 0
        for _ in range(4000):
            page = bytearray(draw.choice(pages))
            for _ in range(draw.randrange(4)):
                page[draw.randrange(len(page))] = draw.choice((0, 1, 2, 127, 128, 255, draw.randrange(256)))
            del page[draw.randrange(4, len(page) + 1):]
            _, ends = self.read(bytes(page) + draw.randbytes(draw.randrange(3)))
            self.assertEqual(len(ends), 1)
            broken += ends[0] == Code.BROKEN_RULES
        self.assertGreater(broken, 1000)

    async def test_what_is_no_handshake_is_refused(self):
        draw = random.Random(4)
        good = bytearray(Handshake.of(Settings(), CONNECTS).encode())
        for n in range(len(good)):
            data = bytearray(good)
            data[n] ^= 1 << draw.randrange(8)
            connection = Connection(Netio(), Settings(), False)
            connection.connection_made(Transport())
            for at in range(0, 48, 7):  # in pieces
                connection.data_received(bytes(data[at:at + 7]))
            self.assertTrue(connection.closed)
            self.assertIsInstance(connection.opened.exception(), ConnectionError)
        both = Connection(Netio(), Settings(), False)
        both.connection_made(Transport())
        both.data_received(Handshake.of(Settings(), ACCEPTS).encode())
        self.assertIn("both accept", str(both.opened.exception()))


if __name__ == "__main__":
    unittest.main()
