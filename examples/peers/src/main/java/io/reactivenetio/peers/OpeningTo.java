// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioServer;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What a client finds that connects: over which networks it is served, at which address, beside whom. */
enum OpeningTo {
    LIBFABRIC(BackendType.LIBFABRIC, BackendType.LIBFABRIC, ", libfabric's tcp"),
    LIBFABRIC_TLS(BackendType.LIBFABRIC, BackendType.LIBFABRIC, ", libfabric's tcp, TLS"),
    LIBFABRIC_FLOODED(BackendType.LIBFABRIC, BackendType.LIBFABRIC, ", libfabric's tcp, flood"),
    TCP(BackendType.TCP, BackendType.TCP, ", plain TCP"),
    TCP_TLS(BackendType.TCP, BackendType.TCP, ", plain TCP, TLS"),
    TCP_FLOODED(BackendType.TCP, BackendType.TCP, ", plain TCP, flood"),
    /** The first address of the name does not answer: the second is tried after the head start. */
    SECOND_ADDRESS(BackendType.TCP, BackendType.TCP, ", second address"),
    VERBS(BackendType.AUTO, BackendType.AUTO, ", verbs"),
    /** The client tries verbs first. */
    VERBS_REFUSED(BackendType.AUTO, BackendType.TCP, ", verbs refused");

    private static final String NAME = "detector.test";
    private static final String DEVICE = "NETIO_RDMA_ADDRESS";

    private final BackendType asked;
    private final BackendType served;
    private final String title;

    OpeningTo(BackendType asked, BackendType served, String title) {
        this.asked = asked;
        this.served = served;
        this.title = title;
    }

    /** Returns what this machine can do: verbs where {@code ./netio rdma} says at which address. */
    static List<OpeningTo> available() {
        List<OpeningTo> here = new ArrayList<>(List.of(values()));
        if (System.getenv(DEVICE) == null) {
            here.removeIf(to -> to.asked == BackendType.AUTO);
        }
        return here;
    }

    String title() {
        return title;
    }

    /** Whether others connect at the same time, and say nothing. */
    boolean isFlooded() {
        return this == LIBFABRIC_FLOODED || this == TCP_FLOODED;
    }

    NetioServer server() {
        return sealing().of(NetioServer.create().host(host()).port(0).backend(served).framing(Framing.stream()));
    }

    NetioClient client(int port) {
        return sealing().of(NetioClient.create().host(this == SECOND_ADDRESS ? named() : host()).port(port).backend(asked)
                .framing(Framing.stream()));
    }

    private Sealing sealing() {
        return this == LIBFABRIC_TLS || this == TCP_TLS ? Sealing.JDK : Sealing.NONE;
    }

    private String host() {
        return asked == BackendType.AUTO ? System.getenv(DEVICE) : Loopback.ADDRESS;
    }

    /** A name with two addresses; the JVM must not have looked up any other before. */
    private static String named() {
        try {
            Path hosts = Files.createTempFile("netio-hosts", "");
            hosts.toFile().deleteOnExit();
            Files.writeString(hosts, SilentAddress.ADDRESS + " " + NAME + "\n" + Loopback.ADDRESS + " " + NAME + "\n");
            System.setProperty("jdk.net.hosts.file", hosts.toString());
            return NAME;
        } catch (IOException e) {
            throw new UncheckedIOException("no file with names", e);
        }
    }
}
