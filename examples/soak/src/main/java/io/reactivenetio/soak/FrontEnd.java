// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.Framing;
import io.reactivenetio.NetioLoops;
import io.reactivenetio.NetioServer;
import io.reactivenetio.api.SlowPolicy;
import io.reactivenetio.api.TaggedMessage;
import io.reactivenetio.api.Tags;
import io.reactivenetio.pubsub.NetioPublisher;
import io.reactivenetio.simulated.SimulatedEndpoint;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.Addresses;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.FluxSink;

/** A server of the readout, which publishes the fragments of its links; what it has published in each of its runs is counted. */
final class FrontEnd {
    /** Bytes of a fragment: its link, its number on that link, its time, and a checksum of these. */
    static final int FRAGMENT = 28;

    private static final int CHECKED = FRAGMENT - Integer.BYTES;
    private static final int FIRST_PORT = 20_000;
    private static final int QUEUE = 1_024;
    private static final int BUFFER = 4_096;
    private static final int BUFFERS = 8;

    private final VirtualCluster cluster;
    private final int number;
    private final long firstLink;
    private final int links;
    private final long[] sent;
    /** What each run has published, the present one last. */
    private final List<Long> runs = new ArrayList<>();
    private @Nullable NetioLoops loops;
    private @Nullable NetioPublisher publisher;
    private @Nullable FluxSink<TaggedMessage> fragments;
    private long unasked;

    FrontEnd(VirtualCluster cluster, int number, long firstLink, int links) {
        this.cluster = cluster;
        this.number = number;
        this.firstLink = firstLink;
        this.links = links;
        sent = new long[links];
    }

    Tags tags() {
        return Tags.range(firstLink, firstLink + links - 1);
    }

    int port() {
        return FIRST_PORT + number;
    }

    List<Long> runs() {
        return runs;
    }

    /** Returns how many fragments nobody had asked for, and that were not published. */
    long unasked() {
        return unasked;
    }

    boolean isSubscribed() {
        NetioPublisher present = publisher;
        return present != null && present.statistics().subscribers() > 0;
    }

    /** Begins a run. */
    void start() {
        NetioLoops own = cluster.host("front-end-" + number);
        Flux<TaggedMessage> source = Flux.create(sink -> fragments = sink, FluxSink.OverflowStrategy.IGNORE);
        NetioPublisher made = NetioPublisher.create(SlowPolicy.DROP_OLDEST, QUEUE).publish(tags(), source);
        made.serve(server(own)).bind().subscribe();
        loops = own;
        publisher = made;
        runs.add(0L);
    }

    private NetioServer server(NetioLoops own) {
        return NetioServer.create().port(port()).backend(BackendType.TCP).runOn(own).framing(Framing.stream())
                .receiveBuffers(BUFFER, BUFFERS).sendBuffers(BUFFER, BUFFERS);
    }

    /** Dies, as by kill -9: its peers' connections are reset, and nobody is told anything else. */
    void kill() {
        NetioLoops own = loops;
        if (own == null) {
            return;
        }
        for (SimulatedEndpoint end : cluster.network().open()) {
            SimulatedEndpoint peer = end.peer();
            if (end.isOfClient() && Addresses.port(end.handle().remoteAddress()) == port()) {
                end.cut();
                if (peer != null) {
                    peer.fallSilent();
                }
            }
        }
        loops = null;
        publisher = null;
        fragments = null;
        own.dispose();
    }

    /** Each link has a fragment. */
    void tick() {
        NetioLoops own = loops;
        if (own != null) {
            own.scheduler().schedule(this::emit);
        }
    }

    private void emit() {
        FluxSink<TaggedMessage> sink = fragments;
        for (int i = 0; sink != null && i < links; i++) {
            if (sink.requestedFromDownstream() == 0) {
                unasked++;
                continue;
            }
            runs.set(runs.size() - 1, runs.getLast() + 1);
            ByteBuffer fragment = ByteBuffer.allocate(FRAGMENT).putLong(firstLink + i).putLong(sent[i]++).putLong(cluster.now());
            sink.next(TaggedMessage.of(firstLink + i, fragment.putInt(checksum(fragment.array())).flip()));
        }
    }

    /** Returns the checksum that a fragment has to have. */
    static int checksum(byte[] fragment) {
        CRC32C checksum = new CRC32C();
        checksum.update(fragment, 0, CHECKED);
        return (int) checksum.getValue();
    }
}
