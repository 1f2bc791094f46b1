# SPDX-License-Identifier: Apache-2.0
"""CRC-32C (Castagnoli) without a compiled module: long data in many lanes at once, by bytes.translate and large integers."""

from __future__ import annotations

_POLYNOMIAL = 0x82F63B78
_LANE = 256
_SHORT = 2 * _LANE


def _table() -> list[int]:
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (_POLYNOMIAL if n & 1 else 0)
        table.append(n)
    return table


_TABLE = _table()
_BYTES = [bytes(entry >> shift & 255 for entry in _TABLE) for shift in (0, 8, 16, 24)]


def _update(state: int, data: bytes | memoryview) -> int:
    table = _TABLE
    for byte in data:
        state = table[(state ^ byte) & 255] ^ state >> 8
    return state


def _shift_tables(length: int) -> list[list[int]]:
    """What a state becomes after so many zero bytes, by each of its four bytes."""
    columns = [_update(1 << bit, bytes(length)) for bit in range(32)]
    tables = []
    for position in range(4):
        table = [0] * 256
        for value in range(1, 256):
            low = value & -value
            table[value] = table[value ^ low] ^ columns[8 * position + low.bit_length() - 1]
        tables.append(table)
    return tables


_SHIFT = _shift_tables(_LANE)


def _lanes(state: int, data: bytes, count: int) -> int:
    """The state behind count lanes of _LANE bytes each."""
    zero = bytes(count)
    s0 = s1 = s2 = s3 = 0
    t0, t1, t2, t3 = _BYTES
    for step in range(_LANE):
        column = int.from_bytes(data[step::_LANE], "little") ^ s0
        index = column.to_bytes(count, "little")
        s0 = int.from_bytes(index.translate(t0), "little") ^ s1
        s1 = int.from_bytes(index.translate(t1), "little") ^ s2
        s2 = int.from_bytes(index.translate(t2), "little") ^ s3
        s3 = int.from_bytes(index.translate(t3), "little")
    parts = [lane.to_bytes(count, "little") for lane in (s0, s1, s2, s3)] if count else [zero] * 4
    u0, u1, u2, u3 = _SHIFT
    for b0, b1, b2, b3 in zip(*parts):
        state = (u0[state & 255] ^ u1[state >> 8 & 255] ^ u2[state >> 16 & 255] ^ u3[state >> 24]
                 ^ b0 ^ b1 << 8 ^ b2 << 16 ^ b3 << 24)
    return state


def crc32c(data: bytes | bytearray | memoryview, crc: int = 0) -> int:
    """Returns the CRC-32C of data, continued from crc."""
    state = crc ^ 0xFFFFFFFF
    length = len(data)
    if length < _SHORT:
        return _update(state, memoryview(data)) ^ 0xFFFFFFFF
    view = memoryview(data)
    block = 4096 * _LANE
    for start in range(0, length, block):
        part = bytes(view[start:start + block])
        count = len(part) // _LANE
        whole = count * _LANE
        state = _lanes(state, part[:whole], count) if count else state
        state = _update(state, part[whole:])
    return state ^ 0xFFFFFFFF
