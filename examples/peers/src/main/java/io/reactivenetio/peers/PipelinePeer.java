// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.Framing;
import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.peers.NetioPeer.Receiving;
import io.reactivenetio.peers.NetioPeer.Source;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.IntConsumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A stream whose receiver is a {@link Pipeline}, behind Reactor Netty where {@code via} is null. */
record PipelinePeer(Pipeline pipeline, @Nullable Via via) implements Peer {
    private static final String WORD = "pipelines/";
    private static final VarHandle NUMBER = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** Reactor Netty, and this library over libfabric and plain TCP. */
    static List<PipelinePeer> all(Pipeline pipeline) {
        List<PipelinePeer> all = new ArrayList<>();
        all.add(new PipelinePeer(pipeline, null));
        Stream.of(Via.LIBFABRIC, Via.TCP).forEach(via -> all.add(new PipelinePeer(pipeline, via)));
        return all;
    }

    /** The one that a worker is to be; null if {@code word} is none of these. */
    static @Nullable PipelinePeer parse(String word) {
        return Arrays.stream(Pipeline.values()).flatMap(pipeline -> all(pipeline).stream())
                .filter(peer -> peer.word().equals(word)).findFirst().orElse(null);
    }

    /** One word for a worker's command. */
    String word() {
        return (WORD + (via == null ? "reactor-netty" : via) + "/" + pipeline).toLowerCase(Locale.ROOT);
    }

    @Override
    public String title() {
        return pipeline.title() + (via == null ? " Reactor Netty" : via == Via.LIBFABRIC ? " libfabric" : via.title());
    }

    @Override
    public String settings() {
        return via == null ? NettyPeer.SETTINGS + ", receive().asByteArray()" : NetioPeer.settings(Framing.stream(), via);
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws Exception {
        return via == null ? NettyPeer.listen(work, port, Sealing.NONE, (inbound, numbers) -> pipeline.of(
                inbound.receive().asByteArray().takeWhile(message -> number(message) != Numbers.LAST),
                PipelinePeer::number, numbers))
                : own(via).listen(work, port, (inbound, numbers) -> pipeline.of(inbound.receive(), NetioPeer::number, numbers));
    }

    @Override
    public Outcome connect(Work work, int port) throws Exception {
        return via == null ? new NettyPeer().connect(work, port) : own(via).connect(work, port);
    }

    private static NetioPeer own(Via via) {
        return new NetioPeer(Framing.stream(), via, Receiving.COPIED, Source.SAME_BUFFER);
    }

    private static long number(byte[] message) {
        return (long) NUMBER.get(message, 0);
    }
}
