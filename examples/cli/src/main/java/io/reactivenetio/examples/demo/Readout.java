// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import io.reactivenetio.DisposableServer;
import io.reactivenetio.NetioConnection;
import io.reactivenetio.NetioServer;
import io.reactivenetio.RawEnd;
import io.reactivenetio.examples.cli.Patience;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** The server that the detector's links connect to. */
final class Readout implements AutoCloseable {
    /** Receive buffers, that is credits, per link. */
    static final int CREDITS = 64;

    private final int expected;
    private final Histogram histogram;
    private final List<ReadoutLink> links = new ArrayList<>();
    private final Sinks.One<List<ReadoutLink>> complete = Sinks.one();
    private final DisposableServer server;

    Readout(String provider, String host, int expected, Histogram histogram) {
        this.expected = expected;
        this.histogram = histogram;
        this.server = NetioServer.create().provider(provider).host(host).rawEnd(RawEnd.EMPTY_MESSAGE)
                .receiveBuffers(FragmentCodec.MAX_SIZE, CREDITS).sendBuffers(FragmentCodec.MAX_SIZE, 2)
                .doOnConnection(this::accept).bindNow(Patience.ofSeconds(10));
    }

    private synchronized void accept(NetioConnection connection) {
        if (links.size() == expected) {
            connection.dispose();
            return;
        }
        links.add(new ReadoutLink(connection, histogram));
        if (links.size() == expected) {
            complete.tryEmitValue(List.copyOf(links));
        }
    }

    String address() {
        return server.address().getAddress().getHostAddress() + ":" + server.port();
    }

    /** All the links, once they are connected. */
    Mono<List<ReadoutLink>> connected() {
        return complete.asMono();
    }

    /** The links that are connected so far. */
    synchronized List<ReadoutLink> links() {
        return List.copyOf(links);
    }

    @Override
    public void close() {
        server.dispose();
        links().forEach(ReadoutLink::close);
    }
}
