// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import io.reactivenetio.examples.conformance.Bench.Pair;
import java.io.EOFException;
import java.io.IOException;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/** What belongs to the connection: checksums, keep-alive, the shutdown that is told, handshakes of tomorrow and wrong ones. */
final class ConnectionCases {
    static final String SETTINGS = "framing=stream page=61440 data=28 control=8 message=1000000";

    private static final String REQUEST_THREE = "00000000 0c0000c2 00000000 0300000000000000";
    private static final int REQUEST = 0xc2;
    private static final int ERROR = 0xc5;
    private static final int SHUT_DOWN = 7;
    private static final int INTERVAL = 100; // ms
    private static final int SIZE = 100;

    private final List<Case> cases = new ArrayList<>();

    private ConnectionCases() {
    }

    static List<Case> all() {
        ConnectionCases all = new ConnectionCases();
        for (boolean connects : new boolean[] {false, true}) {
            all.checksums(connects);
            all.living(connects);
            all.tomorrow(connects);
            all.wrong(connects);
        }
        return all.cases;
    }

    private void add(boolean connects, String what, List<String> more, Case.Body body) {
        List<String> needs = new ArrayList<>(List.of("stream", connects ? "connect" : "listen"));
        needs.addAll(more);
        cases.add(new Case("connection " + (connects ? "connecting: " : "listening: ") + what, needs, body));
    }

    private interface LinkBody {
        void run(RawLink link) throws Exception;
    }

    /** The kit is the peer, over a socket. */
    private void link(boolean connects, String what, String settings, List<String> more, LinkBody body) {
        add(connects, what, more, bench -> {
            try (RawLink link = RawLink.open(bench.tried(), connects, settings)) {
                body.run(link);
            }
        });
    }

    private void checksums(boolean connects) {
        for (String who : new String[] {"of the end", "of the peer", "of both"}) {
            add(connects, "checksums required " + who, List.of("checksums", "send", "receive"), bench -> {
                String on = SETTINGS + " checksums=required";
                Pair pair = bench.connect(connects, who.equals("of the peer") ? SETTINGS : on,
                        who.equals("of the end") ? SETTINGS : on);
                TransferCases.transfer(pair, 20, 100_000, 3, 1, "max");
                TransferCases.transfer(pair.turned(), 200, SIZE, 3, 1, "16");
            });
        }
    }

    private void living(boolean connects) {
        link(connects, "keep-alive is sent", SETTINGS + " keepalive=" + INTERVAL, List.of("keepalive"), link -> {
            link.established(Pages.changed(Pages.handshake(!connects), 22, "ff")); // credits enough to say nothing
            for (int i = 0; i < 5; i++) {
                Bench.check(link.page().length >= 4, "a page has at least 4 bytes");
            }
        });
        add(connects, "keep-alive keeps an idle connection", List.of("keepalive", "send"), bench -> {
            Pair pair = bench.connect(connects, SETTINGS + " keepalive=" + INTERVAL);
            Bench.pause(8 * INTERVAL);
            TransferCases.transfer(pair, 10, SIZE, 0, 0, "max");
        });
        link(connects, "a peer that is silent is given up", SETTINGS + " keepalive=" + INTERVAL, List.of("keepalive"), link -> {
            link.established(Pages.changed(Pages.handshake(!connects), 40, "32000000")); // 50 ms
            link.awaitClose("the peer has promised a page each 50 ms, and sends none");
        });
        link(connects, "a PING is answered", SETTINGS, List.of(), link -> {
            link.established(Pages.handshake(!connects));
            link.pages(Pages.of("00000000 080000c6 01000000000000ff"));
            frame(link, 0xc7, "01000000000000ff");
        });
        link(connects, "an unknown frame may be skipped", SETTINGS, List.of(), link -> {
            link.established(Pages.handshake(!connects));
            link.pages(Pages.of("00000000 030000b0 010203 080000c6 0200000000000000"));
            frame(link, 0xc7, "0200000000000000");
        });
        link(connects, "a shutdown is told", SETTINGS, List.of("shutdown"), link -> {
            link.established(Pages.handshake(!connects));
            link.tried().ask("close c=" + link.number() + " told=yes");
            frame(link, ERROR, "ffffffff 07000000");
            link.awaitClose("it has said that it shuts down");
        });
        link(connects, "a shutdown is heard", SETTINGS, List.of(), link -> {
            link.established(Pages.handshake(!connects));
            link.pages(Pages.of("00000000 080000c5 ffffffff 07000000"));
            Line closed = link.tried().event("closed", "c", link.number());
            Bench.check(closed.is("code", SHUT_DOWN) || closed.is("code", 0), "code 7 was awaited: " + closed);
        });
        add(connects, "a close is told", List.of(), bench -> {
            Pair pair = bench.connect(connects, SETTINGS);
            pair.other().ask("close c=" + pair.otherC());
            pair.one().event("closed", "c", pair.c());
        });
    }

    /** Awaits a frame of this kind, whose content must begin with these bytes. */
    private static void frame(RawLink link, int kind, String begins) throws IOException {
        String wanted = begins.replace(" ", "");
        try {
            while (true) {
                for (Pages.Frame frame : Pages.frames(link.page())) {
                    if (frame.kind() == kind) {
                        Bench.check(frame.content().startsWith(wanted), "the content of the frame should begin with " + wanted
                                + ": " + frame.content());
                        return;
                    }
                }
            }
        } catch (EOFException | SocketException e) {
            throw new CaseFailedException("the connection has ended, and a frame 0x" + Integer.toHexString(kind)
                    + " was awaited");
        }
    }

    private void tomorrow(boolean connects) {
        good(connects, "a peer that speaks versions 1 to 7", 5, "07");
        good(connects, "an unknown feature that is supported", 8, "00000080");
        refused(connects, "a peer that speaks versions 2 to 3 only", Pages.changed(Pages.handshake(!connects), 4, "0203"),
                connects);
        refused(connects, "an unknown feature that is required",
                Pages.changed(Pages.handshake(!connects), 8, "0000008000000080"), connects);
    }

    private void good(boolean connects, String what, int offset, String bytes) {
        link(connects, what, SETTINGS, List.of("send", "receive"), link -> {
            link.established(Pages.changed(Pages.handshake(!connects), offset, bytes));
            honest(link);
        });
    }

    /** Three messages go to the end, and three from it. */
    private static void honest(RawLink link) throws IOException {
        int s = Bench.stream();
        link.tried().ask("receive c=" + link.number() + " s=" + s + " demand=max");
        frame(link, REQUEST, "00000000");
        link.pages(Pages.message(Digest.payload(0, SIZE)), Pages.message(Digest.payload(1, SIZE)),
                Pages.message(Digest.payload(2, SIZE)));
        Bench.same(link.tried().total(s, line -> line.number("count") >= 3, "3 messages"), Digest.of(3, SIZE, 0, 0));
        link.tried().ask("send c=" + link.number() + " count=3 size=" + SIZE);
        link.pages(Pages.of(REQUEST_THREE));
        int messages = 0;
        while (messages < 3) {
            for (Pages.Frame frame : Pages.frames(link.page())) {
                if (frame.isMessage()) {
                    Bench.check(frame.content().equals(HexFormat.of().formatHex(Digest.payload(messages, SIZE).array())),
                            "message " + messages + " has other bytes");
                    messages++;
                }
            }
        }
    }

    /** The end closes, and is there for the next. {@code told}: it says by an event that there is no connection. */
    private void refused(boolean connects, String what, byte[] handshake, boolean told) {
        add(connects, what, List.of(), bench -> {
            try (RawLink link = RawLink.open(bench.tried(), connects, SETTINGS)) {
                link.write(handshake);
                link.awaitClose("the handshake must be refused");
                if (told) {
                    bench.tried().event("closed", "c", link.number());
                }
            }
            HostileCases.stillServes(bench, connects, "stream");
        });
    }

    private void wrong(boolean connects) {
        byte[] good = Pages.handshake(!connects);
        byte[] broken = good.clone();
        broken[45] ^= 1;
        refused(connects, "handshake with a wrong checksum", broken, connects);
        String[][] changes = {{"another magic", "0", "4e494f00"}, {"no version", "4", "0000"},
            {"the highest version below the lowest", "4", "0201"}, {"another framing", "6", "01"},
            {"the role of the end itself", "7", connects ? "01" : "02"}, {"no such role", "7", "03"},
            {"a feature required and not supported", "12", "01000000"}, {"a page of 1,023 bytes", "16", "ff030000"},
            {"a page beyond 16 MiB", "16", "01000001"}, {"no data pages", "20", "0000"}, {"two control pages", "22", "02"},
            {"a wrong length", "23", "2f"}, {"no largest message", "24", "00000000"},
            {"a largest message of 2 GiB", "24", "00000080"}, {"too many streams", "28", "01000001"},
            {"a budget below the largest message", "32", "ffff0000 00000000"}, {"a keep-alive of 9 ms", "40", "09000000"}};
        for (String[] change : changes) {
            refused(connects, "handshake with " + change[0], Pages.changed(good, Integer.parseInt(change[1]), change[2]),
                    connects);
        }
    }
}
