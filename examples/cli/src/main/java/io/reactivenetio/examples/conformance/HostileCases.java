// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Peers that break the rules, over sockets. The connection must end, and the end must be there for the next one. Where the page
 * alone does not break a rule, the end has asked for messages of stream 0 before.
 */
final class HostileCases {
    private static final String SETTINGS = ConnectionCases.SETTINGS;
    private static final int SIZE = 100;
    private static final int FLIPS = 40;
    private static final int FLOOD = 400;
    private static final long SEED = 20;

    /** What breaks a rule, and the pages that do, each in hexadecimal. */
    private record Lie(String what, List<String> pages) {
        Lie(String what, String... pages) {
            this(what, List.of(pages));
        }
    }

    private static final List<Lie> LIES = List.of(
            new Lie("an unknown frame that is critical", "00000000 000000f0"),
            new Lie("DATA on a control credit", "00000000 02000007 00000000 6869"),
            new Lie("DATA of no stream", "00000002 02000003 6869"),
            new Lie("DATA of a stream that is not open", "00000002 02000007 4d000000 6869"),
            new Lie("a tag that is not at the beginning of a message", "00000002 0000000d 00000000 05000000 0700000000000000",
                    "00000002 0200000c 00000000 0700000000000000 6869"),
            new Lie("the first of several parts has all bytes already", "00000002 02000005 00000000 02000000 6869"),
            new Lie("an empty part", "00000002 00000005 00000000 05000000", "00000002 00000004 00000000"),
            new Lie("a part of no message", "00000002 02000004 00000000 6869"),
            new Lie("parts that are more than the message", "00000002 01000005 00000000 05000000 61",
                    "00000002 06000004 00000000 616161616161"),
            new Lie("parts that are less than the message", "00000002 01000005 00000000 05000000 61",
                    "00000002 01000006 00000000 61"),
            new Lie("a message within a message", "00000002 01000005 00000000 05000000 61", "00000002 01000007 00000000 61"),
            new Lie("a message that is larger than this side receives", "00000002 01000005 00000000 ffffff7f 61"),
            new Lie("a total beyond 2^31", "00000002 01000005 00000000 ffffffff 61"),
            new Lie("a reserved flag of DATA", "00000002 02000027 00000000 6869"),
            new Lie("a payload that is longer than its page", "00000002 ffff0007 00000000 68"),
            new Lie("a header of a frame that is cut off", "00000002 020000"),
            new Lie("a stream number that is cut off", "00000002 00000007 0000"),
            new Lie("a control frame that is cut off", "00000000 080000c6 01000000"),
            new Lie("a page of three bytes", "000000"),
            new Lie("an empty page", ""),
            new Lie("a reserved flag of the page", "00000004"),
            new Lie("the flag DATA without a frame", "00000002"),
            new Lie("a checksum that was not agreed on", "00000001 12345678"),
            new Lie("more control credits than are out", "0000ff00"),
            new Lie("more data credits than are out", "ffff0000"),
            new Lie("REQUEST of nothing", "00000000 0c0000c2 00000000 0000000000000000"),
            new Lie("REQUEST of 2^63", "00000000 0c0000c2 00000000 0000000000000080"),
            new Lie("CANCEL with a wrong length", "00000000 050000c3 00000000 00"),
            new Lie("ERROR with a text that is too long", "00000000 090200c5 00000000 02000000" + "61".repeat(513)),
            new Lie("COMPLETE with another number", "00000000 0c0000c4 00000000 0500000000000000"),
            new Lie("COMPLETE within a message", "00000002 01000005 00000000 05000000 61",
                    "00000000 0c0000c4 00000000 0100000000000000"),
            new Lie("SUBSCRIBE of stream 0", subscribe("00000000", "00 00", "0700000000000000", "0000000000000000")),
            new Lie("SUBSCRIBE of stream 0xffffffff", subscribe("ffffffff", "00 00", "0700000000000000", "0000000000000000")),
            new Lie("SUBSCRIBE with a fourth kind of tags",
                    subscribe("05000000", "03 00", "0700000000000000", "0000000000000000")),
            new Lie("SUBSCRIBE with a sixth policy", subscribe("05000000", "00 05", "0700000000000000", "0000000000000000")),
            new Lie("SUBSCRIBE of a tag with a second number",
                    subscribe("05000000", "00 00", "0700000000000000", "0100000000000000")),
            new Lie("SUBSCRIBE of a range that ends before it begins",
                    subscribe("05000000", "01 00", "0700000000000000", "0600000000000000")),
            new Lie("SUBSCRIBE of a tag with bits outside of its mask",
                    subscribe("05000000", "02 00", "0700000000000000", "0600000000000000")),
            new Lie("SUBSCRIBED with run 0", "00000000 14000088 06000000 0200000000000000 0000000000000000"),
            new Lie("SUBSCRIBED with half a run", "00000000 10000088 06000000 0200000000000000 0d000000"),
            new Lie("QUEUED where none may wait", "00000000 0c00008a 05000000 01000000 00000000"),
            new Lie("DROPPED of nothing", "00000000 0c000089 00000000 0000000000000000"));

    private final List<Case> cases = new ArrayList<>();

    private HostileCases() {
    }

    private static String subscribe(String stream, String kindAndPolicy, String tag, String second) {
        return "00000000 180000c1 " + stream + kindAndPolicy + "0000" + tag + second;
    }

    static List<Case> all() {
        HostileCases all = new HostileCases();
        for (boolean connects : new boolean[] {false, true}) {
            LIES.forEach(lie -> all.lie(connects, lie));
            all.lengths(connects);
            all.floods(connects);
            all.flips(connects);
            all.plain(connects);
        }
        return all.cases;
    }

    private interface Attack {
        void run(RawLink link) throws IOException;
    }

    private void add(boolean connects, String framing, String what, List<String> more, Attack attack) {
        List<String> needs = new ArrayList<>(List.of(framing, connects ? "connect" : "listen", "receive"));
        needs.addAll(more);
        cases.add(new Case("hostile " + framing + (connects ? " connecting: " : " listening: ") + what, needs, bench -> {
            String settings = SETTINGS.replace("framing=stream", "framing=" + framing);
            try (RawLink link = RawLink.open(bench.tried(), connects, settings)) {
                attack.run(link);
            }
            stillServes(bench, connects, framing);
        }));
    }

    /** An honest peer is served as ever. */
    static void stillServes(Bench bench, boolean connects, String framing) {
        bench.tried().reset();
        if (bench.offer().missing(List.of("receive")).isEmpty()) {
            TransferCases.transfer(bench.connect(connects, SETTINGS.replace("framing=stream", "framing=" + framing)).turned(),
                    10, SIZE, 0, 0, "max");
        }
    }

    private static void receive(RawLink link) {
        link.tried().ask("receive c=" + link.number() + " s=" + Bench.stream() + " demand=max");
    }

    private void lie(boolean connects, Lie lie) {
        add(connects, "stream", lie.what(), List.of(), link -> {
            link.established(Pages.handshake(!connects));
            receive(link);
            awaitRequest(link);
            link.pages(lie.pages().stream().map(Pages::of).toArray(byte[][]::new));
            link.awaitClose(lie.what());
            link.tried().event("closed", "c", link.number());
        });
    }

    private static void awaitRequest(RawLink link) throws IOException {
        while (Pages.frames(link.page()).stream().noneMatch(frame -> frame.kind() == 0xc2)) {
            // keep-alive, or credits
        }
    }

    /** Lengths of TCP's frames, and connections that break off. */
    private void lengths(boolean connects) {
        for (String[] length : new String[][] {{"the largest that there is", "ffffffff"}, {"of 2 GiB", "00000080"},
            {"a byte more than a page", "01f00000"}}) {
            add(connects, "stream", "a page whose length is " + length[0], List.of(), link -> {
                link.established(Pages.handshake(!connects));
                link.write(Pages.of(length[1]));
                link.awaitClose("no page is so long");
            });
        }
        add(connects, "stream", "a page that is cut off by the end of the connection", List.of(), link -> {
            link.established(Pages.handshake(!connects));
            receive(link);
            link.write(Pages.of("00100000 00000002 f00f0007 00000000 6869"));
            link.close();
            link.tried().event("closed", "c", link.number());
        });
        if (!connects) {
            add(false, "stream", "half a handshake", List.of(), link -> {
                link.write(Arrays.copyOf(Pages.handshake(true), 20));
                link.close();
            });
        }
    }

    /** The end has little credit to return credits with, and the peer returns none: so it has to notice. */
    private void floods(boolean connects) {
        byte[] little = Pages.changed(Pages.handshake(!connects), 22, "03");
        add(connects, "stream", "DATA without demand", List.of(), link -> {
            link.established(little);
            int s = Bench.stream();
            link.tried().ask("receive c=" + link.number() + " s=" + s + " demand=0");
            link.tried().ask("more s=" + s + " n=2");
            awaitRequest(link);
            byte[] two = Pages.of("00000002 02000007 00000000 6869 02000007 00000000 6869 02000007 00000000 6869 02000007"
                    + "00000000 6869");
            link.pages(two, two, two, two, two, two, two, two);
            link.awaitClose("32 messages came, and two were asked for");
        });
        add(connects, "stream", "DATA without credit", List.of(), link -> {
            link.established(little);
            receive(link);
            awaitRequest(link);
            byte[][] flood = new byte[FLOOD][];
            Arrays.fill(flood, Pages.message(Digest.payload(0, SIZE)));
            link.pages(flood);
            link.awaitClose("400 pages came, and there was credit for 28");
        });
        add(connects, "stream", "PINGs without credit", List.of(), link -> {
            link.established(little);
            byte[][] flood = new byte[FLOOD][];
            Arrays.fill(flood, Pages.of("00000000 080000c6 0100000000000000"));
            link.pages(flood);
            link.awaitClose("400 pages came, and there was credit for a few");
        });
    }

    /** Good pages with one bit flipped: with checksums each must end the connection; without, the end must live on. */
    private void flips(boolean connects) {
        byte[] good = Pages.of("01000003 49cf8e49 02000007 05000000 6869"); // a vector of docs/wire-vectors.txt
        add(connects, "stream", "flipped bits under a checksum", List.of("checksums"), link -> {
            link.established(Pages.changed(Pages.handshake(!connects), 8, "0100000001000000"));
            byte[] flipped = good.clone();
            flipped[9] ^= 0x10;
            link.pages(flipped);
            link.awaitClose("the checksum does not fit");
        });
        byte[] page = Pages.of("00000002 02000007 00000000 6869 0100001f 00000000 2a00000000000000 01 61 0c0000c2 00000000"
                + "0100000000000000 080000c6 0100000000000000");
        for (int part = 0; part < 4; part++) {
            Random random = new Random(SEED + part);
            add(connects, "stream", "flipped bits, part " + (part + 1), List.of(), link -> {
                link.established(Pages.handshake(!connects));
                receive(link);
                byte[][] pages = new byte[FLIPS][];
                for (int i = 0; i < FLIPS; i++) {
                    pages[i] = page.clone();
                    pages[i][random.nextInt(page.length)] ^= (byte) (1 << random.nextInt(8));
                }
                link.pages(pages);
            });
        }
    }

    private void plain(boolean connects) {
        plain(connects, "page", "the first message has no tag", "05000000 01000000 61");
        plain(connects, "page", "a payload that is cut off", "0d000000 02000080 0100000000000000 61");
        plain(connects, "page", "two bytes behind the last message", "0e000000 00000080 0100000000000000 0000");
        plain(connects, "page", "a header that is cut off", "03000000 010000");
        plain(connects, "page", "a tag that is cut off", "06000000 00000080 0100");
        for (String framing : List.of("raw", "page")) {
            plain(connects, framing, "a page whose length is the largest that there is", "ffffffff");
            plain(connects, framing, "a page that is larger than this side receives", "01f00000");
            add(connects, framing, "a page that is cut off by the end of the connection", List.of(), link -> {
                link.established();
                receive(link);
                link.write(Pages.of("00100000 02000080"));
                link.close();
                link.tried().event("closed", "c", link.number());
            });
        }
    }

    private void plain(boolean connects, String framing, String what, String bytes) {
        add(connects, framing, what, List.of(), link -> {
            link.established();
            receive(link);
            link.write(Pages.of(bytes));
            link.awaitClose(what);
        });
    }
}
