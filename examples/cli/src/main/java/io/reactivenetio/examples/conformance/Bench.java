// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import java.util.concurrent.atomic.AtomicInteger;

/** What a case works with: the end that is tried, and the Java end that talks to it. */
final class Bench {
    private static final AtomicInteger STREAMS = new AtomicInteger();

    private final End tried;
    private final End java;
    private final Offer offer;
    private final String transport;

    Bench(End tried, End java, Offer offer) {
        this(tried, java, offer, "tcp");
    }

    private Bench(End tried, End java, Offer offer, String transport) {
        this.tried = tried;
        this.java = java;
        this.offer = offer;
        this.transport = transport;
    }

    /** The same with connections over another transport. */
    Bench over(String other) {
        return new Bench(tried, java, offer, other);
    }

    /** The end that is tried. */
    End tried() {
        return tried;
    }

    /** The Java end. */
    End java() {
        return java;
    }

    Offer offer() {
        return offer;
    }

    /** A connection, with the number that each of two ends gives it. */
    record Pair(End one, int c, End other, int otherC) {
        Pair turned() {
            return new Pair(other, otherC, one, c);
        }
    }

    /** A connection between the tried end, first, and the Java end. */
    Pair connect(boolean triedConnects, String settings) {
        return connect(triedConnects, settings, settings);
    }

    Pair connect(boolean triedConnects, String ofTried, String ofJava) {
        End from = triedConnects ? tried : java;
        End to = triedConnects ? java : tried;
        String by = "transport=" + transport + " ";
        int port = to.ask("listen " + by + (triedConnects ? ofJava : ofTried)).number("port");
        int c = from.ask("connect port=" + port + " " + by + (triedConnects ? ofTried : ofJava)).number("c");
        from.event("connected", "c", c);
        int accepted = to.event("connected", line -> true).number("c");
        return triedConnects ? new Pair(tried, c, java, accepted) : new Pair(tried, accepted, java, c);
    }

    /** A number for a stream. */
    static int stream() {
        return STREAMS.incrementAndGet();
    }

    static void check(boolean good, String otherwise) {
        if (!good) {
            throw new CaseFailedException(otherwise);
        }
    }

    /** Fails the case unless {@code told} has just these messages. */
    static void same(Line told, Digest expected) {
        Line wanted = expected.in(Line.of("ok"));
        for (String field : new String[] {"count", "bytes", "crc"}) {
            check(told.is(field, wanted.get(field)), "should have been " + wanted + ", and was " + told);
        }
    }

    static void pause(int millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CaseFailedException("the time limit of the case is over");
        }
    }
}
