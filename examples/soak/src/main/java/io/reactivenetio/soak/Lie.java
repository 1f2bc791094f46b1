// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.examples.conformance.Pages;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Random;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/** What a peer of plain TCP does that it must not, or does more often than it may. Pages are as docs/wire-format.md has them. */
enum Lie {
    MALFORMED("malformed pages", 4_000),
    RANDOM("random bytes in place of a handshake", 1_000),
    SILENT("connects that say nothing", 1_000),
    SLOW("handshakes of a byte each 20 ms", 100),
    TLS("connects that stop on the way to TLS or behind their ClientHello, 1,000 of them at a time", 1_000),
    CREDITS("returns of credits that are not out", 1_000),
    REQUESTS("floods of REQUEST", 20),
    SUBSCRIPTIONS("floods of SUBSCRIBE", 20),
    CANCELS("floods of SUBSCRIBE and CANCEL", 20),
    PINGS("floods of PING", 20);

    private static final int LARGEST = 256;
    private static final int FRAMES = 1_000;
    private static final int PAGES = 50;
    private static final int SUBSCRIBE = 0xc100_0018;
    private static final int SUBSCRIBE_BYTES = 28;
    private static final int REQUEST = 0xc200_000c;
    private static final int CANCEL = 0xc300_0004;
    private static final int PING = 0xc600_0008;
    private static final int FEATURES_AT = 8;
    private static final String TLS_FEATURE = "08000000";
    private static final int PATIENT_MILLIS = 10_000;
    private static final int IMPATIENT_MILLIS = 100;

    private final String text;
    private final int perSecond;

    Lie(String text, int perSecond) {
        this.text = text;
        this.perSecond = perSecond;
    }

    /** How many connections there are of it each second. */
    int perSecond() {
        return perSecond;
    }

    /** How long it waits for what the other side says to it. */
    int staysMillis() {
        return this == TLS ? PATIENT_MILLIS : IMPATIENT_MILLIS;
    }

    /** Whether it is for a server with TLS. */
    boolean isForTls() {
        return this == TLS;
    }

    /** Says it. The other side may end the connection at any time. */
    void tell(OutputStream out, Random random) throws IOException, InterruptedException {
        byte[] handshake = Pages.handshake(true);
        switch (this) {
            case SILENT -> { }
            case RANDOM -> out.write(random(random));
            case SLOW -> {
                for (byte one : handshake) {
                    out.write(one);
                    Thread.sleep(20);
                }
            }
            case TLS -> {
                byte[] all = beginningOfTls();
                out.write(all, 0, random.nextBoolean() ? all.length : random.nextInt(all.length));
            }
            case MALFORMED -> {
                out.write(handshake);
                page(out, random(random));
            }
            case CREDITS -> {
                out.write(handshake);
                page(out, Pages.of("ffff ff00"));
            }
            default -> {
                out.write(handshake);
                for (int i = 0; i < PAGES; i++) {
                    page(out, flood(i));
                }
            }
        }
    }

    private static byte[] random(Random random) {
        byte[] bytes = new byte[random.nextInt(1, LARGEST)];
        random.nextBytes(bytes);
        return bytes;
    }

    /** The handshake and the first message of a client, which is its ClientHello. */
    private static byte[] beginningOfTls() throws IOException {
        try {
            SSLEngine engine = SSLContext.getDefault().createSSLEngine();
            engine.setUseClientMode(true);
            ByteBuffer hello = ByteBuffer.allocate(engine.getSession().getPacketBufferSize());
            engine.wrap(ByteBuffer.allocate(0), hello);
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            all.write(Pages.changed(Pages.handshake(true), FEATURES_AT, TLS_FEATURE));
            page(all, Arrays.copyOf(hello.array(), hello.position()));
            return all.toByteArray();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** A page of frames of one kind, without a credit for all of them. */
    private byte[] flood(int page) {
        ByteBuffer bytes = ByteBuffer.allocate(4 + FRAMES * (SUBSCRIBE_BYTES + 8)).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putInt(0);
        for (int i = 0; i < FRAMES; i++) {
            int stream = page * FRAMES + i + 1;
            switch (this) {
                case REQUESTS -> bytes.putInt(REQUEST).putInt(0).putLong(1);
                case PINGS -> bytes.putInt(PING).putLong(stream);
                default -> {
                    bytes.putInt(SUBSCRIBE).putInt(stream).putInt(0).putLong(1_000 + stream).putLong(0);
                    if (this == CANCELS) {
                        bytes.putInt(CANCEL).putInt(stream);
                    }
                }
            }
        }
        byte[] all = new byte[bytes.position()];
        bytes.flip().get(all);
        return all;
    }

    private static void page(OutputStream out, byte[] page) throws IOException {
        ByteBuffer framed = ByteBuffer.allocate(Integer.BYTES + page.length).order(ByteOrder.LITTLE_ENDIAN);
        out.write(framed.putInt(page.length).put(page).array());
    }

    @Override
    public String toString() {
        return text;
    }
}
