// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.examples.conformance.Bench.Pair;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Requests of every outcome. */
final class RequestCases {
    private static final String SETTINGS = "framing=stream page=61440 data=28 message=67108864";
    private static final int TAG = 9;
    private static final int ANSWER = 2;
    private static final int EMPTY = 3;
    private static final int FAILED = 4;
    private static final int CANCELLED = 5;

    private final List<Case> cases = new ArrayList<>();

    private RequestCases() {
    }

    static List<Case> all() {
        RequestCases all = new RequestCases();
        for (boolean connects : new boolean[] {true, false}) {
            for (boolean responds : new boolean[] {true, false}) {
                all.add(connects, responds, "one at a time", "echo", ANSWER, 200, 100, "parallel=1");
                all.add(connects, responds, "sixteen at a time", "echo", ANSWER, 500, 100, "parallel=16");
                all.add(connects, responds, "more than the responder takes", "echo", ANSWER, 500, 10, "parallel=64");
                all.add(connects, responds, "large", "echo", ANSWER, 5, 300_000, "parallel=2");
                all.add(connects, responds, "empty requests", "echo", ANSWER, 50, 0, "parallel=4");
                all.add(connects, responds, "empty answers", "empty", EMPTY, 50, 10, "parallel=4");
                all.add(connects, responds, "failures", "fail", FAILED, 50, 10, "parallel=4");
                all.add(connects, responds, "cancelled", "never", CANCELLED, 40, 10, "parallel=20 cancel=20");
                all.add(connects, responds, "headers", "echo", ANSWER, 50, 10, "parallel=4 headers=yes");
            }
            all.late(connects);
        }
        return all.cases;
    }

    private void add(boolean connects, boolean responds, String what, String mode, int status, int count, int size,
            String fields) {
        List<String> needs = new ArrayList<>(List.of("stream", connects ? "connect" : "listen",
                responds ? "respond" : "request"));
        if (fields.contains("headers")) {
            needs.add("headers");
        }
        cases.add(new Case("requests " + (connects ? "connecting, " : "listening, ")
                + (responds ? "responding: " : "requesting: ") + what, needs, bench -> {
            Pair pair = bench.connect(connects, SETTINGS);
            run(responds ? pair : pair.turned(), mode, status, count, size, fields);
        }));
    }

    /** A request that is worked on has its place, although it was cancelled. The next ones wait for that, and are answered. */
    private void late(boolean connects) {
        cases.add(new Case("requests " + (connects ? "connecting" : "listening") + ", responding: cancelled, and worked on",
                List.of("stream", connects ? "connect" : "listen", "respond", "late"), bench -> {
            Pair pair = bench.connect(connects, SETTINGS);
            run(pair, "late", CANCELLED, 40, 10, "parallel=16 cancel=20");
            ask(pair, EMPTY, 20, 10, "parallel=16");
        }));
    }

    /** The first end responds. */
    private static void run(Pair pair, String mode, int status, int count, int size, String fields) {
        pair.one().ask("respond c=" + pair.c() + " tag=" + TAG + " concurrency=16 mode=" + mode);
        ask(pair, status, count, size, fields);
    }

    private static void ask(Pair pair, int status, int count, int size, String fields) {
        int s = Bench.stream();
        pair.other().ask("request c=" + pair.otherC() + " s=" + s + " tag=" + TAG + " count=" + count + " size=" + size + " "
                + fields);
        Line end = pair.other().event("end", "s", s);
        Digest expected = new Digest();
        for (int n = 0; n < count; n++) {
            expected.add(n, status, status == ANSWER ? Digest.payload(n, size) : ByteBuffer.allocate(0));
        }
        Line wanted = expected.sumIn(Line.of("event end"));
        Bench.check(end.is("code", 0) && end.is("count", count) && end.is("bytes", wanted.get("bytes"))
                && end.is("crc", wanted.get("crc")), "should have been " + wanted + ", and was " + end);
    }
}
