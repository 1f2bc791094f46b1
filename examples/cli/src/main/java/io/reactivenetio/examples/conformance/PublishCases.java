// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.examples.conformance.Bench.Pair;
import java.util.ArrayList;
import java.util.List;

/** Tags: exact, ranges and masks, every policy, a thousand of them. */
final class PublishCases {
    private static final String SETTINGS = "framing=stream page=61440 data=28 message=67108864";
    private static final int SIZE = 1_000;
    private static final int QUEUE = 16;
    private static final int MANY = 10_000; // of SIZE: more than the buffers of both sides and the queue hold
    private static final int SOME = 500;
    private static final int TAG = 7;
    private static final int FIRST = 1_000;
    private static final int THOUSAND = 1_000;
    private static final int NOT_SERVED = 3;

    private final List<Case> cases = new ArrayList<>();

    private PublishCases() {
    }

    static List<Case> all() {
        PublishCases all = new PublishCases();
        for (boolean connects : new boolean[] {false, true}) {
            for (boolean publishes : new boolean[] {true, false}) {
                all.add(connects, publishes);
            }
        }
        return all.cases;
    }

    private void add(boolean connects, boolean publishes) {
        tags(connects, publishes, "one tag", List.of(), PublishCases::oneTag);
        tags(connects, publishes, "complete and fail", List.of(), PublishCases::ends);
        tags(connects, publishes, "cancel, and subscribe again", List.of(), PublishCases::again);
        tags(connects, publishes, "policy wait", List.of(), PublishCases::waits);
        tags(connects, publishes, "a thousand tags", List.of(), PublishCases::thousand);
        if (!connects) {
            tags(false, publishes, "a tag that nobody serves", List.of(), PublishCases::notServed);
        }
        if (publishes != connects) { // the Java end chooses policies and patterns where it has connected
            tags(connects, publishes, "range and mask", List.of("patterns"), PublishCases::patterns);
            for (String policy : List.of("newest", "oldest")) {
                tags(connects, publishes, "policy " + policy, List.of("policies"), pair -> drops(pair, policy, policy));
                tags(connects, publishes, "policy " + policy + ", wished", List.of("policies"),
                        pair -> drops(pair, policy.equals("newest") ? "oldest" : "newest", policy));
            }
            tags(connects, publishes, "policy fail", List.of("policies"), PublishCases::fails);
        }
    }

    private interface Way {
        /** The first end of {@code pair} publishes, the other subscribes. */
        void run(Pair pair);
    }

    private void tags(boolean connects, boolean publishes, String what, List<String> extras, Way way) {
        List<String> needs = new ArrayList<>(List.of("stream", connects ? "connect" : "listen",
                publishes ? "publish" : "subscribe"));
        needs.addAll(extras);
        cases.add(new Case("tags " + (connects ? "connecting, " : "listening, ") + (publishes ? "publishing: " : "subscribing: ")
                + what, needs, bench -> {
            Pair pair = bench.connect(connects, SETTINGS);
            way.run(publishes ? pair : pair.turned());
        }));
    }

    private static void publish(Pair pair, Object tags, String policy) {
        pair.one().ask("publish tags=" + tags + " policy=" + policy + " queue=" + QUEUE);
    }

    private static int subscribe(Pair pair, Object tags, String fields) {
        int s = Bench.stream();
        pair.other().ask("subscribe c=" + pair.otherC() + " s=" + s + " tags=" + tags + " " + fields);
        return s;
    }

    private static void emit(Pair pair, Object tags, int count, int size) {
        pair.one().ask("emit tags=" + tags + " count=" + count + " size=" + size);
    }

    /** Waits until the publisher has so many subscriptions: what is emitted before is not for them. */
    private static void subscribed(Pair pair, int number) {
        long until = System.nanoTime() + End.LIMIT.toNanos();
        while (pair.one().ask("subscribers").number("count") != number) {
            Bench.check(System.nanoTime() - until < 0, pair.one() + " should have had " + number + " subscriptions, and has "
                    + pair.one().ask("subscribers").number("count"));
            Bench.pause(2);
        }
    }

    private static Line arrived(Pair pair, int s, Digest expected) {
        Line total = pair.other().total(s, line -> line.number("count") >= expected.count(), expected.count() + " messages");
        Bench.same(total, expected);
        return total;
    }

    private static void oneTag(Pair pair) {
        publish(pair, TAG, "wait");
        int s = subscribe(pair, TAG, "demand=8");
        subscribed(pair, 1);
        emit(pair, TAG, SOME, SIZE);
        emit(pair, TAG, 2, 1 << 20);
        arrived(pair, s, Digest.of(SOME, SIZE, TAG, 0).addAll(2, 1 << 20, TAG, 0));
        pair.one().event("emitted", "count", SOME);
    }

    private static void ends(Pair pair) {
        publish(pair, TAG, "wait");
        publish(pair, TAG + 1, "wait");
        int good = subscribe(pair, TAG, "demand=max");
        int bad = subscribe(pair, TAG + 1, "demand=max");
        subscribed(pair, 2);
        emit(pair, TAG, SOME, SIZE);
        emit(pair, TAG + 1, SOME, SIZE);
        pair.one().ask("unpublish tags=" + TAG + " code=0");
        pair.one().ask("unpublish tags=" + (TAG + 1) + " code=2");
        ended(pair, good, 0, TAG);
        ended(pair, bad, 2, TAG + 1);
    }

    private static void ended(Pair pair, int s, int code, int tag) {
        Line end = pair.other().event("end", "s", s);
        Bench.check(end.is("code", code), "the stream should have ended with code " + code + ": " + end);
        Bench.same(end, Digest.of(SOME, SIZE, tag, 0));
    }

    private static void again(Pair pair) {
        publish(pair, TAG, "wait");
        for (int after : new int[] {1, SOME / 2, 0}) {
            int s = subscribe(pair, TAG, "demand=max cancel=" + after);
            if (after > 0) {
                subscribed(pair, 1);
                emit(pair, TAG, after, SIZE);
            }
            Line end = pair.other().event("end", "s", s);
            Bench.check(end.is("code", 1) && end.is("count", after), after + " messages and a cancel were awaited: " + end);
            subscribed(pair, 0);
        }
    }

    private static void waits(Pair pair) {
        publish(pair, TAG, "wait");
        int s = subscribe(pair, TAG, "demand=0");
        subscribed(pair, 1);
        emit(pair, TAG, MANY, SIZE);
        Bench.pause(50);
        Bench.check(!pair.one().had("emitted", "count", MANY), "the publisher should wait for its subscriber");
        pair.other().ask("more s=" + s + " n=10");
        arrived(pair, s, Digest.of(10, SIZE, TAG, 0));
        pair.other().ask("more s=" + s + " n=max");
        Line total = arrived(pair, s, Digest.of(MANY, SIZE, TAG, 0));
        Bench.check(total.is("dropped", 0), "nothing should be dropped: " + total);
        pair.one().event("emitted", "count", MANY);
    }

    private static void thousand(Pair pair) {
        String range = FIRST + "-" + (FIRST + THOUSAND - 1);
        publish(pair, range, "wait");
        int first = 0;
        for (int i = 0; i < THOUSAND; i++) {
            int s = subscribe(pair, FIRST + i, "demand=max");
            first = i == 0 ? s : first;
        }
        subscribed(pair, THOUSAND);
        emit(pair, range, 3 * THOUSAND, SIZE);
        for (int i = 0; i < THOUSAND; i++) {
            Digest expected = new Digest();
            for (int n = i; n < 3 * THOUSAND; n += THOUSAND) {
                expected.add(FIRST + i, 0, Digest.payload(n, SIZE));
            }
            arrived(pair, first + i, expected);
        }
    }

    private static void notServed(Pair pair) {
        int s = subscribe(pair, 99, "demand=max");
        Line end = pair.other().event("end", "s", s);
        Bench.check(end.is("code", NOT_SERVED), "code 3, nobody serves this tag, was awaited: " + end);
    }

    /** Tags 4096 to 4111: a range has eight of them, the mask every fourth. */
    private static void patterns(Pair pair) {
        publish(pair, "4096-4111", "wait");
        int range = subscribe(pair, "4100-4107", "demand=max");
        int mask = subscribe(pair, "4097/4099", "demand=16"); // bit 12, and of the two lowest the value 1
        subscribed(pair, 2);
        emit(pair, "4096-4111", SOME, SIZE);
        Digest ofRange = new Digest();
        Digest ofMask = new Digest();
        for (int n = 0; n < SOME; n++) {
            int tag = 4096 + n % 16;
            if (tag >= 4100 && tag <= 4107) {
                ofRange.add(tag, 0, Digest.payload(n, SIZE));
            }
            if ((tag & 4099) == 4097) {
                ofMask.add(tag, 0, Digest.payload(n, SIZE));
            }
        }
        arrived(pair, range, ofRange);
        arrived(pair, mask, ofMask);
    }

    /** The subscriber takes nothing, and then everything: what it gets and what it is told as dropped are all there were. */
    private static void drops(Pair pair, String configured, String wished) {
        publish(pair, TAG, configured);
        int s = subscribe(pair, TAG, "demand=0 policy=" + (wished.equals(configured) ? "default" : wished));
        subscribed(pair, 1);
        emit(pair, TAG, MANY, SIZE);
        pair.one().event("emitted", "count", MANY);
        pair.other().ask("more s=" + s + " n=max");
        Line total = pair.other().total(s, line -> line.number("count") + line.number("dropped") == MANY,
                MANY + " messages, those included that were dropped");
        Bench.check(total.number("dropped") > 0, "the queue is short, so most should be dropped: " + total);
        if (wished.equals("oldest")) {
            Digest last = new Digest();
            last.add(TAG, 0, Digest.payload(MANY - 1L, SIZE));
            Bench.check(total.is("last", last.last()), "the last message should not be dropped: " + total);
        } else {
            Bench.same(total, Digest.of(total.number("count"), SIZE, TAG, 0)); // the first ones
        }
    }

    private static void fails(Pair pair) {
        publish(pair, TAG, "fail");
        int s = subscribe(pair, TAG, "demand=0");
        publish(pair, TAG + 2, "fail");
        subscribed(pair, 1);
        emit(pair, TAG, MANY, SIZE);
        pair.one().event("emitted", "count", MANY);
        pair.other().ask("more s=" + s + " n=max");
        Line end = pair.other().event("end", "s", s);
        Bench.check(end.is("code", 5), "code 5, too slow, was awaited: " + end);
        int next = subscribe(pair, TAG + 2, "demand=max");
        subscribed(pair, 1);
        emit(pair, TAG + 2, 4, SIZE);
        arrived(pair, next, Digest.of(4, SIZE, TAG + 2, 0));
    }
}
