// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.examples.conformance.Bench.Pair;
import java.util.ArrayList;
import java.util.List;

/** Messages that go one way, on stream 0 or with RAW and PAGE framing. */
final class TransferCases {
    private static final int PAGE = 61_440;
    private static final int MEBI = 1 << 20;
    private static final int SMALLEST_PAGE = 1_024;
    private static final int HEADERS = 14; // what PAGE framing may add to a message
    private static final int EACH = 10;
    private static final int MANY = 2_000;
    private static final int SMALL = 100;
    private static final String STREAM = "framing=stream page=" + PAGE + " data=28 message=" + (64 << 20);

    private final List<Case> cases = new ArrayList<>();

    private TransferCases() {
    }

    static List<Case> all() {
        TransferCases all = new TransferCases();
        for (boolean connects : new boolean[] {true, false}) {
            for (boolean sends : new boolean[] {true, false}) {
                all.add(connects, sends);
            }
        }
        return all.cases;
    }

    private void add(boolean connects, boolean sends) {
        sizes("raw", connects, sends, "page=" + PAGE, 0, 1, SMALL, PAGE - 1, PAGE);
        sizes("raw", connects, sends, "page=" + MEBI, MEBI);
        sizes("page", connects, sends, "page=" + PAGE, 0, 1, SMALL, PAGE - HEADERS, PAGE - HEADERS + 1);
        sizes("page", connects, sends, "page=" + (MEBI + HEADERS), MEBI);
        sizes("stream", connects, sends, STREAM, 0, 1, SMALL, PAGE - 1, PAGE, PAGE + 1, MEBI);
        sizes("stream", connects, sends, "one data page of 1 KiB", STREAM + " page=1024 data=1", 0, SMALLEST_PAGE, PAGE);
        if (connects == sends) {
            stream(connects, sends, "64 MiB", pair -> transfer(pair, 1, 64 << 20, 7, 1, "max"), 64 << 20);
        }
        for (String framing : List.of("raw", "page", "stream")) {
            for (String demand : List.of("1", "16", "max")) {
                add(framing, connects, sends, "demand " + demand, STREAM + " framing=" + framing, 0,
                        pair -> transfer(pair, MANY, SMALL, framing.equals("raw") ? 0 : 1, 0, demand));
            }
            add(framing, connects, sends, "slow receiver", "framing=" + framing + " page=" + PAGE + " data=2", 0,
                    pair -> slow(pair, framing.equals("raw") ? 0 : 3));
        }
        stream(connects, sends, "demand is exact", TransferCases::exact, 0);
        stream(connects, sends, "complete", TransferCases::complete, 0);
        for (int after : new int[] {0, 1, SMALL, MANY}) {
            stream(connects, sends, "cancel after " + after, pair -> cancel(pair, after), 0);
        }
        stream(connects, sends, "many small messages", pair -> transfer(pair, 50_000, 40, 5, 0, "max"), 0);
    }

    private interface Way {
        /** Messages go from the first end of {@code pair} to the other. */
        void run(Pair pair);
    }

    private void stream(boolean connects, boolean sends, String what, Way way, int largest) {
        add("stream", connects, sends, what, STREAM, largest, way);
    }

    private void add(String framing, boolean connects, boolean sends, String what, String settings, int largest, Way way) {
        cases.add(new Case(framing + (connects ? " connecting, " : " listening, ") + (sends ? "sending: " : "receiving: ") + what,
                List.of(framing, connects ? "connect" : "listen", sends ? "send" : "receive"), bench -> {
            if (bench.offer().largest() < largest) {
                throw CaseFailedException.notOffered("messages of " + largest + " bytes");
            }
            Pair pair = bench.connect(connects, settings);
            way.run(sends ? pair : pair.turned());
        }));
    }

    private void sizes(String framing, boolean connects, boolean sends, String settings, int... sizes) {
        sizes(framing, connects, sends, sizes.length == 1 ? "size " + sizes[0] : "sizes 0 to " + sizes[sizes.length - 1],
                settings, sizes);
    }

    private void sizes(String framing, boolean connects, boolean sends, String what, String settings, int... sizes) {
        add(framing, connects, sends, what, settings + " framing=" + framing, MEBI, pair -> {
            boolean raw = framing.equals("raw");
            int s = receive(pair, "max");
            Digest expected = new Digest();
            for (int i = 0; i < sizes.length; i++) {
                int tag = raw ? 0 : i / 2;
                int status = raw ? 0 : i % 2;
                pair.one().ask("send c=" + pair.c() + " count=" + EACH + " size=" + sizes[i] + " tag=" + tag + " status="
                        + status);
                expected.addAll(EACH, sizes[i], tag, status);
            }
            arrived(pair, s, expected);
            for (int i = 0; i < sizes.length; i++) {
                sent(pair, EACH);
            }
        });
    }

    /** The number of a stream that the other end receives. */
    private static int receive(Pair pair, String demand) {
        int s = Bench.stream();
        pair.other().ask("receive c=" + pair.otherC() + " s=" + s + " demand=" + demand);
        return s;
    }

    private static void send(Pair pair, int count, int size, long tag, int status) {
        pair.one().ask("send c=" + pair.c() + " count=" + count + " size=" + size + " tag=" + tag + " status=" + status);
    }

    private static void arrived(Pair pair, int s, Digest expected) {
        Line total = pair.other().total(s, line -> line.number("count") >= expected.count(), expected.count() + " messages");
        Bench.same(total, expected);
    }

    private static void sent(Pair pair, int count) {
        Line sent = pair.one().event("sent", "c", pair.c());
        Bench.check(sent.is("code", 0) && sent.is("count", count), "all " + count + " messages should be sent: " + sent);
    }

    static void transfer(Pair pair, int count, int size, long tag, int status, String demand) {
        int s = receive(pair, demand);
        send(pair, count, size, tag, status);
        arrived(pair, s, Digest.of(count, size, tag, status));
        sent(pair, count);
    }

    private static void slow(Pair pair, long tag) {
        int count = 8;
        int size = 50_000;
        int s = receive(pair, "0");
        send(pair, count, size, tag, 0);
        for (int asked = 1; asked <= count; asked++) {
            Bench.pause(10);
            pair.other().ask("more s=" + s + " n=1");
        }
        arrived(pair, s, Digest.of(count, size, tag, 0));
        sent(pair, count);
    }

    /** No message comes that was not asked for. */
    private static void exact(Pair pair) {
        int s = receive(pair, "0");
        send(pair, EACH, SMALL, 1, 0);
        int count = 0;
        for (int more : new int[] {1, 3, 2}) {
            count += more;
            pair.other().ask("more s=" + s + " n=" + more);
            arrived(pair, s, Digest.of(count, SMALL, 1, 0));
        }
        Bench.check(!pair.one().had("sent", "c", pair.c()), "messages are sent that nobody has asked for");
        pair.other().ask("more s=" + s + " n=max");
        arrived(pair, s, Digest.of(EACH, SMALL, 1, 0));
        sent(pair, EACH);
    }

    private static void complete(Pair pair) {
        int s = receive(pair, "16");
        send(pair, MANY, SMALL, 1, 2);
        pair.one().ask("end c=" + pair.c() + " code=0");
        Line end = pair.other().event("end", "s", s);
        Bench.check(end.is("code", 0), "the stream should be complete: " + end);
        Bench.same(end, Digest.of(MANY, SMALL, 1, 2));
        sent(pair, MANY);
    }

    /** The stream ends, and the connection goes on in the other direction. */
    private static void cancel(Pair pair, int after) {
        int s = Bench.stream();
        send(pair, MANY, SMALL, 1, 0);
        pair.other().ask("receive c=" + pair.otherC() + " s=" + s + " demand=max cancel=" + after);
        Line end = pair.other().event("end", "s", s);
        Bench.check(end.is("code", 1) && end.is("count", after), after + " messages and a cancel were awaited: " + end);
        Bench.same(end, Digest.of(after, SMALL, 1, 0));
        Line sent = pair.one().event("sent", "c", pair.c());
        Bench.check(sent.is("code", 1) || sent.is("code", 0) && sent.is("count", MANY),
                "the sender should have noticed the cancel: " + sent);
        transfer(pair.turned(), EACH, SMALL, 0, 0, "max");
    }
}
