# SPDX-License-Identifier: Apache-2.0
"""Two ends over 127.0.0.1."""

import asyncio
import unittest

from reactive_netio import Code, Netio, Policy, Settings, StreamError, Tags

try:
    import numpy
except ImportError:
    numpy = None


class Ends(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self):
        self.server, self.client = Netio(), Netio()
        self.addCleanup(self.client.close)
        self.addCleanup(self.server.close)
        self.accepted = []
        self.port = await self.server.listen("127.0.0.1", 0, Settings(wait=0.2), self.accepted.append)

    async def connect(self, wait=0.2, **settings):
        if wait != 0.2:
            self.port = await self.server.listen("127.0.0.1", 0, Settings(wait=wait), self.accepted.append)
        connection = await self.client.connect("127.0.0.1", self.port, Settings(wait=wait, **settings))
        while not self.accepted:
            await asyncio.sleep(0.001)
        return connection, self.accepted.pop()


class StreamsTest(Ends):
    async def test_every_size_arrives_with_its_tag_and_status(self):
        sizes = [0, 1, 59_000, 61_440, 61_441, 200_000, 3_000_000]
        source = self.server.serve(Tags.range(0, 9))
        subscription = await self.client.subscribe("127.0.0.1", self.port, Tags.range(0, 9), ahead=2)

        async def publish():
            await source.subscribed()
            for n, size in enumerate(sizes):
                await source.publish(bytes([n]) * size, n, n)
            source.end()
        task = asyncio.create_task(publish())
        got = [(len(m.payload), m.tag, m.status, bytes(m.payload[:1])) async for m in subscription]
        await task
        self.assertEqual(got, [(size, n, n, bytes([n]) if size else b"") for n, size in enumerate(sizes)])

    async def test_checksums_can_be_required(self):
        connection, other = await self.connect(checksums=True)
        await connection.send(b"x" * 100_000)
        connection.end()
        self.assertEqual([len(m.payload) async for m in other.receive()], [100_000])

    async def test_slow_subscribers_are_treated_as_the_policy_says(self):
        source = self.server.serve(7, Policy.WAIT, 16)
        slow = {policy: await self.client.subscribe("127.0.0.1", self.port, 7, policy, 4)
                for policy in (Policy.OLDEST, Policy.NEWEST, Policy.FAIL)}
        while source.subscribers < 3:
            await source.changed()
        for n in range(200_000):
            self.assertTrue(source.try_publish(n.to_bytes(8, "little")))
        source.end()
        for policy in (Policy.OLDEST, Policy.NEWEST):
            got = [int.from_bytes(m.payload, "little") async for m in slow[policy]]
            self.assertEqual(len(got) + slow[policy].dropped, 200_000)
            self.assertEqual(got, sorted(set(got)))
            self.assertEqual(policy == Policy.OLDEST, 199_999 in got)
        with self.assertRaises(StreamError) as failure:
            async for _ in slow[Policy.FAIL]:
                pass
        self.assertEqual(failure.exception.code, Code.TOO_SLOW)

    async def test_a_publisher_that_waits_has_no_more_than_its_queue(self):
        source = self.server.serve(7, queue=8)
        subscription = await self.client.subscribe("127.0.0.1", self.port, 7, ahead=4)
        await source.subscribed()
        accepted = 0
        for _ in range(100):
            while source.try_publish(b"x"):
                accepted += 1
            await asyncio.sleep(0.001)
        self.assertEqual(accepted, 8 + 4)
        await anext(subscription)

    async def test_a_cancelled_subscription_ends_and_another_may_follow(self):
        source = self.server.serve(7)
        connection, _ = await self.connect()
        for _ in range(50):
            subscription = connection.subscribe(7, ahead=3)
            await source.subscribed()
            await source.publish(b"x")
            self.assertEqual(bytes((await anext(subscription)).payload), b"x")
            subscription.cancel()
            self.assertEqual([m async for m in subscription], [])
        self.assertEqual(source.subscribers, 0)

    async def test_what_nobody_serves_is_refused_after_a_while(self):
        connection, _ = await self.connect()
        with self.assertRaises(StreamError) as failure:
            await anext(connection.subscribe(5))
        self.assertEqual(failure.exception.code, Code.NOT_SERVED)

    async def test_a_lost_connection_is_told_to_all_who_wait(self):
        connection, other = await self.connect(wait=60)
        source = self.server.serve(7, queue=2)
        asked = asyncio.Event()

        async def serve(request):
            asked.set()
            await asyncio.Event().wait()
        other.respond(9, serve)
        waiting = [asyncio.ensure_future(anext(connection.subscribe(7))), asyncio.ensure_future(anext(connection.receive())),
                   asyncio.ensure_future(connection.requester(9).request(b"x")),
                   asyncio.ensure_future(connection.requester(10).request(b"x"))]
        await source.subscribed()
        await asked.wait()
        other.close(Code.SHUTDOWN, "for today")
        for result in await asyncio.gather(*waiting, return_exceptions=True):
            self.assertIsInstance(result, StreamError)
            self.assertIn("for today", str(result))
        with self.assertRaises(StreamError):
            await connection.send(b"x")
        self.assertEqual(source.subscribers, 0)

    async def test_no_end_at_the_port(self):
        said = b"HTTP/1.1 400 Bad Request\r\n\r\n"
        server = await asyncio.start_server(lambda reader, writer: writer.write(said), "127.0.0.1", 0)
        self.addCleanup(server.close)
        with self.assertRaisesRegex(ConnectionError, "not a handshake: b'HTTP"):
            await self.client.connect("127.0.0.1", server.sockets[0].getsockname()[1])

    async def test_a_silent_port_is_given_up(self):
        server = await asyncio.start_server(lambda reader, writer: None, "127.0.0.1", 0)
        self.addCleanup(server.close)
        with self.assertRaisesRegex(ConnectionError, "no handshake in time"):
            await self.client.connect("127.0.0.1", server.sockets[0].getsockname()[1], Settings(handshake=0.05))

    async def test_payloads_that_change_before_they_leave_or_are_no_bytes(self):
        connection, other = await self.connect()
        with self.assertRaises(TypeError):
            await connection.send("text")
        with self.assertRaises(ValueError):
            await connection.send(memoryview(b"abcdef")[::2])
        with self.assertRaises(ValueError):
            await connection.send(bytes((64 << 20) + 1))
        await connection.send(bytearray(b"ok"))
        self.assertEqual(bytes((await anext(other.receive())).payload), b"ok")

    @unittest.skipUnless(numpy, "numpy is not installed")
    async def test_arrays_of_numpy_go_without_a_copy(self):
        source = self.server.serve(7)
        subscription = await self.client.subscribe("127.0.0.1", self.port, 7)
        hits = numpy.arange(1000, dtype="<u4")
        await source.subscribed()
        await source.publish(hits)
        await source.publish(hits[:0])
        message = await anext(subscription)
        array = numpy.frombuffer(message.payload, "<u4")
        self.assertTrue((array == hits).all())
        self.assertIs(array.base.obj if isinstance(array.base, memoryview) else array.base, message.payload.obj
                      if isinstance(array.base, memoryview) else message.payload)
        self.assertEqual(len((await anext(subscription)).payload), 0)


class RequestsTest(Ends):
    async def echo(self, request):
        return request.payload

    async def test_answers_of_all_kinds(self):
        connection, other = await self.connect()

        async def answer(request):
            text = bytes(request.payload)
            if text == b"fail":
                raise RuntimeError("no such run")
            if text == b"empty":
                return None
            return str(dict(request.headers)).encode() if text == b"headers" else text
        other.respond(9, answer, 4)
        requester = connection.requester(9)
        self.assertEqual(await asyncio.gather(*(requester.request(str(n).encode()) for n in range(1000))),
                         [str(n).encode() for n in range(1000)])
        self.assertEqual(await requester.request(b""), b"")
        self.assertIsNone(await requester.request(b"empty"))
        self.assertEqual(await requester.request(b"headers", {"who": "Zoë"}), b"{'who': 'Zo\xc3\xab'}")
        self.assertEqual(len(await requester.request(bytes(1_000_000))), 1_000_000)
        with self.assertRaisesRegex(StreamError, "SOURCE_FAILED: no such run"):
            await requester.request(b"fail")

    async def test_a_request_that_is_given_up_is_cancelled_there(self):
        connection, other = await self.connect()
        begun, cancelled = [], []

        async def never(request):
            begun.append(dict(request.headers))
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(1)
                raise
        other.respond(9, never, 2)
        requester = connection.requester(9)
        with self.assertRaises(TimeoutError):
            await requester.request(b"x", timeout=0.5)
        self.assertEqual(begun, [{"netio-timeout": "0000000000500000000"}])
        for _ in range(20):
            tasks = [asyncio.create_task(requester.request(b"x")) for _ in range(5)]
            await asyncio.sleep(0.005)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        while len(cancelled) < len(begun):
            await asyncio.sleep(0.001)
        self.assertEqual(requester._open.keys() - requester._cancelled, set())

    async def test_a_cancelled_request_that_is_still_worked_on_has_its_place(self):
        connection, other = await self.connect()
        begun, cancelled, done = [], [], asyncio.Event()

        async def slow_to_stop(request):
            begun.append(bytes(request.payload))
            try:
                await done.wait()
            except asyncio.CancelledError:
                cancelled.append(1)
                await done.wait()
                raise
            return bytes(request.payload)
        other.respond(9, slow_to_stop, 2)
        requester = connection.requester(9)
        first = [asyncio.create_task(requester.request(b"a")) for _ in range(2)]
        while len(begun) < 2:
            await asyncio.sleep(0.001)
        for task in first:
            task.cancel()
        third = asyncio.create_task(requester.request(b"b"))
        while len(cancelled) < 2:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)  # demand, if there were any, would be here
        self.assertEqual(begun, [b"a", b"a"])
        done.set()
        self.assertEqual(await asyncio.wait_for(third, 60), b"b")

    async def test_responders_follow_each_other(self):
        connection, other = await self.connect()
        requester = connection.requester(9)
        for n in range(30):
            async def answer(request, n=n):
                return str(n).encode()
            responder = other.respond(9, answer)
            self.assertEqual(await requester.request(b"who"), str(n).encode())
            answers = requester._answers
            responder.end()
            responder.end()
            while requester._out is not None or requester._answers is answers:  # else a request may go to the one that has ended
                await asyncio.sleep(0.001)

    async def test_a_request_under_way_fails_with_its_responder(self):
        connection, other = await self.connect()

        async def never(request):
            await asyncio.Event().wait()
        responder = other.respond(9, never)
        request = asyncio.ensure_future(connection.requester(9).request(b"x"))
        while not responder._tasks:
            await asyncio.sleep(0.001)
        responder.end()
        with self.assertRaisesRegex(StreamError, "ended before it answered"):
            await request

    async def test_two_requesters_are_told_that_nobody_answers(self):
        connection, other = await self.connect()
        both = await asyncio.gather(connection.requester(9).request(b"x"), other.requester(9).request(b"y"),
                                    return_exceptions=True)
        self.assertEqual([one.code for one in both], [Code.NOT_SERVED] * 2)

    async def test_a_responder_outlives_one_on_the_other_side(self):
        connection, other = await self.connect()
        wrong_side = connection.respond(9, self.echo)
        other.respond(9, self.echo)
        await asyncio.sleep(0.5)
        wrong_side.end()
        self.assertEqual(await connection.requester(9).request(b"x"), b"x")

    async def test_a_handler_may_close_the_connection(self):
        connection, other = await self.connect()

        async def close(request):
            other.close()
            return b"never told"
        other.respond(9, close)
        with self.assertRaises(StreamError):
            await connection.requester(9).request(b"x")


if __name__ == "__main__":
    unittest.main()
