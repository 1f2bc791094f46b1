# SPDX-License-Identifier: Apache-2.0
"""The command line: python -m reactive_netio subscribe HOST:PORT --tag 7, and others."""

from __future__ import annotations

import argparse
import asyncio
import sys
import time

from .connection import Connection
from .netio import Netio, Source
from .requests import Request
from .wire import Policy, StreamError, Tags

_POLICIES = {"publisher": Policy.DEFAULT, "wait": Policy.WAIT, "newest": Policy.NEWEST, "oldest": Policy.OLDEST,
             "fail": Policy.FAIL}


def _tags(text: str) -> Tags:
    try:
        if "-" in text:
            first, last = text.split("-")
            tags = Tags.range(int(first, 0), int(last, 0))
        elif "/" in text:
            tag, mask = text.split("/")
            tags = Tags.mask(int(tag, 0), int(mask, 0))
        else:
            tags = Tags(int(text, 0))
        tags.check()
    except ValueError:
        wanted = "a tag is 7, 0-7 for a range, or 0x1200/0xff00 for a mask"
        raise argparse.ArgumentTypeError(f"{wanted}, and this is {text!r}") from None
    return tags


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"an address is HOST:PORT, and this is {text!r}")
    return host.strip("[]"), int(port)


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"it must be a positive number, and is {text!r}")
    return int(text)


class _Progress:
    """A line on stderr each second, and a table at the end."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.messages = self.bytes = self.dropped = 0
        self.began = self.shown = time.monotonic()
        self._before = 0

    def look(self) -> None:
        now = time.monotonic()
        if now - self.shown >= 1:
            rate = (self.messages - self._before) / (now - self.shown)
            print(f"{self.what} {self.messages:,} messages, {rate:,.0f}/s", file=sys.stderr)
            self.shown, self._before = now, self.messages

    def table(self) -> None:
        seconds = time.monotonic() - self.began
        rate = self.messages / seconds if seconds else 0
        for name, value in (("messages", f"{self.messages:,}"), ("bytes", f"{self.bytes:,}"), ("dropped", f"{self.dropped:,}"),
                            ("seconds", f"{seconds:.3f}"), ("messages/s", f"{rate:,.0f}")):
            print(f"{name:<11} {value:>15}", file=sys.stderr)


def _print(message: bytes | memoryview, tag: int, how: str) -> None:
    if how == "hex":
        print(f"{tag} {bytes(message).hex()}")
    elif how == "text":
        print(bytes(message).decode(errors="replace"))
    elif how == "raw":
        sys.stdout.buffer.write(message)


async def _subscribe(options: argparse.Namespace) -> None:
    netio = Netio()
    host, port = options.address
    subscription = await netio.subscribe(host, port, options.tag, _POLICIES[options.when_slow], options.ahead)
    progress = _Progress("received")
    quiet = options.print == "nothing"
    left = options.count
    try:
        async for batch in subscription.batches():
            if progress.messages == 0:
                progress.began = progress.shown = time.monotonic()
            del batch[left:]
            for message in batch:
                progress.bytes += len(message.payload)
                if not quiet:
                    _print(message.payload, message.tag, options.print)
            progress.messages += len(batch)
            progress.dropped = subscription.dropped
            progress.look()
            left -= len(batch)
            if left <= 0:
                break
    finally:
        sys.stdout.flush()
        netio.close()
        progress.table()


async def _publish(options: argparse.Namespace) -> None:
    netio = Netio()
    port = await netio.listen(*options.listen)
    source = netio.serve(options.tag, _POLICIES[options.when_slow], options.queue)
    print(f"listening on port {port}", file=sys.stderr)
    await source.subscribed()
    progress = _Progress("published")
    try:
        if options.lines:
            await _publish_lines(source, progress)
        else:
            await _publish_bytes(source, progress, options)
        source.end()
        while source.subscribers:
            await source.changed()
        await asyncio.sleep(0)
    finally:
        netio.close()
        progress.table()


async def _publish_lines(source: Source, progress: _Progress) -> None:
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.buffer.readline):
        payload = line.rstrip(b"\r\n")
        await source.publish(payload)
        progress.messages += 1
        progress.bytes += len(payload)


async def _publish_bytes(source: Source, progress: _Progress, options: argparse.Namespace) -> None:
    payload = bytes(n % 251 for n in range(options.size))
    first, last = source.tags.tag, source.tags.second if source.tags.kind == 1 else source.tags.tag
    for n in range(options.count):
        tag = first + n % (last - first + 1)
        if not source.try_publish(payload, tag):
            await source.publish(payload, tag)
        progress.messages += 1
        progress.bytes += len(payload)
        if options.rate:
            await asyncio.sleep(max(0.0, progress.began + n / options.rate - time.monotonic()))
        elif n % 256 == 0:
            await asyncio.sleep(0)
        if n % 256 == 0:
            progress.look()


async def _request(options: argparse.Namespace) -> None:
    netio = Netio()
    connection = await netio.connect(*options.address)
    try:
        answer = await connection.requester(options.tag.tag).request(options.text.encode(), timeout=options.timeout)
        print("(empty)" if answer is None else answer.decode(errors="replace"))
    finally:
        netio.close()


async def _respond(options: argparse.Namespace) -> None:
    async def echo(request: Request) -> bytes:
        print(f"request: {bytes(request.payload).decode(errors='replace')}", file=sys.stderr)
        return bytes(request.payload)

    def serve(connection: Connection) -> None:
        connection.respond(options.tag.tag, echo)
    port = await Netio().listen(options.listen[0], options.listen[1], on_connection=serve)
    print(f"listening on port {port}", file=sys.stderr)
    await asyncio.Event().wait()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m reactive_netio", description="An end of reactive-netio in Python.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: object, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        sub.add_argument("--tag", type=_tags, required=True, help="7, a range 0-7, or a mask 0x1200/0xff00")
        return sub

    one = command("subscribe", _subscribe, "Subscribe to tags, until the publisher ends.")
    one.add_argument("address", type=_address, metavar="HOST:PORT")
    one.add_argument("--print", choices=("nothing", "hex", "text", "raw"), default="nothing", help="what goes to stdout")
    one.add_argument("--count", type=_positive, default=1 << 62, help="end after so many messages")
    one.add_argument("--ahead", type=_positive, default=4096, help="messages that are asked for in advance")
    one.add_argument("--when-slow", choices=list(_POLICIES), default="publisher",
                     help="what the publisher does when this subscriber is slow")
    one = command("publish", _publish, "Publish messages with tags, to all who subscribe, from the first subscriber on.")
    one.add_argument("--listen", type=_address, default=("127.0.0.1", 7000), metavar="HOST:PORT")
    one.add_argument("--lines", action="store_true", help="publish the lines of stdin")
    one.add_argument("--count", type=_positive, default=1_000_000, help="messages")
    one.add_argument("--size", type=int, default=1024, help="bytes of a message")
    one.add_argument("--rate", type=_positive, help="messages per second")
    one.add_argument("--queue", type=_positive, default=4096, help="messages that wait for each subscriber")
    one.add_argument("--when-slow", choices=list(_POLICIES)[1:], default="wait", help="when a subscriber is slow")
    one = command("request", _request, "Send a request, and print the answer.")
    one.add_argument("address", type=_address, metavar="HOST:PORT")
    one.add_argument("text")
    one.add_argument("--timeout", type=float, default=10, help="seconds")
    one = command("respond", _respond, "Answer each request with what it says.")
    one.add_argument("--listen", type=_address, default=("127.0.0.1", 7000), metavar="HOST:PORT")
    return parser


def main() -> int:
    options = _parser().parse_args()
    try:
        asyncio.run(options.run(options))
        return 0
    except KeyboardInterrupt:
        return 130
    except (OSError, StreamError, TimeoutError, ValueError) as e:
        print(f"reactive_netio: {e or type(e).__name__}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
