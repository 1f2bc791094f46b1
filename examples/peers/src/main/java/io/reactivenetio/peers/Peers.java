// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.Framing;
import io.reactivenetio.peers.NetioPeer.Receiving;
import io.reactivenetio.peers.NetioPeer.Source;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** All of them, by the word that a worker is given. */
final class Peers {
    /** What the others are compared with. */
    static final String STREAM_BASE = "stream/reactor-netty";
    static final String TRIPS_BASE = "trips/reactor-netty";
    static final String SEALED_BASE = "stream/reactor-netty-tls-native";

    private Peers() {
    }

    /** The one that a worker is to be. */
    static Peer of(String word) {
        Growth growth = Growth.parse(word);
        Opening opening = Opening.parse(word);
        PipelinePeer pipeline = PipelinePeer.parse(word);
        return growth != null ? growth : opening != null ? opening : pipeline != null ? pipeline
                : Objects.requireNonNull(all().get(word), word);
    }

    static Map<String, Peer> all() {
        Map<String, Peer> all = streams();
        all.putAll(trips());
        all.putAll(sealed());
        return all;
    }

    /** One way. */
    static Map<String, Peer> streams() {
        Map<String, Peer> all = new LinkedHashMap<>();
        all.put("stream/java.nio", new NioPeer(false));
        all.put("stream/java.nio-fresh", new NioPeer(true));
        all.put(STREAM_BASE, new NettyPeer());
        all.put("stream/reactor-netty-concat-map", new NettyPeer(NettyPeer.Receiving.CONCAT_MAPPED, Sealing.NONE));
        all.put("stream/reactor-netty-flat-map", new NettyPeer(NettyPeer.Receiving.FLAT_MAPPED_16, Sealing.NONE));
        all.put("stream/rsocket", new RSocketPeer(Sealing.NONE));
        all.put("stream/grpc", new GrpcPeer(Sealing.NONE));
        all.put("stream/aeron-ipc", new AeronPeer(AeronMedia.IPC));
        all.put("stream/aeron-udp", new AeronPeer(AeronMedia.UDP));
        all.put("stream/jucx", new JucxPeer());
        ownStreams().forEach(peer -> all.put(peer.word(), peer));
        return all;
    }

    private static List<NetioPeer> ownStreams() {
        List<NetioPeer> own = new ArrayList<>();
        for (Framing framing : List.of(Framing.stream(), Framing.page(), Framing.raw())) {
            for (Receiving receiving : List.of(Receiving.DECODED, Receiving.COPIED, Receiving.LEASED, Receiving.BATCHED)) {
                own.add(new NetioPeer(framing, Via.LIBFABRIC, receiving, Source.SAME_BUFFER));
            }
        }
        for (Source source : List.of(Source.FRESH_BUFFERS, Source.ELSEWHERE, Source.PUBLISHED, Source.BATCHES,
                Source.BATCHES_ELSEWHERE)) {
            own.add(new NetioPeer(Framing.stream(), Via.LIBFABRIC, Receiving.DECODED, source));
        }
        for (Receiving receiving : List.of(Receiving.PUBLISHED, Receiving.CONCAT_MAPPED, Receiving.FLAT_MAPPED,
                Receiving.FLAT_MAPPED_16, Receiving.DECODED_AND_CONCAT_MAPPED, Receiving.CONCAT_MAPPED_AHEAD,
                Receiving.PREFETCHED_AND_CONCAT_MAPPED)) {
            own.add(new NetioPeer(Framing.stream(), Via.LIBFABRIC, receiving, Source.SAME_BUFFER));
        }
        for (Via via : Via.available()) {
            if (via == Via.LIBFABRIC) {
                continue; // above
            }
            for (Receiving receiving : List.of(Receiving.DECODED, Receiving.COPIED, Receiving.BATCHED)) {
                own.add(new NetioPeer(Framing.stream(), via, receiving, Source.SAME_BUFFER));
            }
            own.add(new NetioPeer(Framing.raw(), via, Receiving.DECODED, Source.SAME_BUFFER));
        }
        return own;
    }

    /** One way with TLS, each beside the same without it. */
    static Map<String, Peer> sealed() {
        Map<String, Peer> all = new LinkedHashMap<>();
        all.put(SEALED_BASE, new NettyPeer(NettyPeer.Receiving.MAPPED, Sealing.NATIVE));
        all.put("stream/reactor-netty-tls", new NettyPeer(NettyPeer.Receiving.MAPPED, Sealing.JDK));
        all.put(STREAM_BASE, new NettyPeer());
        all.put("stream/rsocket-tls", new RSocketPeer(Sealing.NATIVE));
        all.put("stream/rsocket", new RSocketPeer(Sealing.NONE));
        all.put("stream/grpc-tls", new GrpcPeer(Sealing.NATIVE));
        all.put("stream/grpc", new GrpcPeer(Sealing.NONE));
        for (Via via : List.of(Via.LIBFABRIC, Via.TCP)) {
            for (Receiving receiving : List.of(Receiving.DECODED, Receiving.COPIED)) {
                for (Sealing sealing : List.of(Sealing.JDK, Sealing.NONE)) {
                    NetioPeer own = new NetioPeer(Framing.stream(), via, receiving, Source.SAME_BUFFER, sealing);
                    all.put(own.word(), own);
                }
            }
        }
        for (Sealing sealing : List.of(Sealing.JDK, Sealing.NONE)) {
            NetioPeer own = new NetioPeer(Framing.page(), Via.LIBFABRIC, Receiving.DECODED, Source.SAME_BUFFER, sealing);
            all.put(own.word(), own);
        }
        return all;
    }

    /** There and back. */
    static Map<String, Peer> trips() {
        Map<String, Peer> all = new LinkedHashMap<>();
        all.put("trips/java.nio", new NioTrips());
        all.put(TRIPS_BASE, new NettyTrips());
        all.put("trips/rsocket", new RSocketTrips());
        all.put("trips/grpc", new GrpcTrips());
        all.put("trips/aeron-ipc", new AeronTrips(AeronMedia.IPC));
        all.put("trips/aeron-udp", new AeronTrips(AeronMedia.UDP));
        all.put("trips/jucx", new JucxTrips());
        for (Via via : Via.available()) {
            for (Framing framing : List.of(Framing.stream(), Framing.page(), Framing.raw())) {
                NetioTrips trips = new NetioTrips(framing, via);
                all.put(trips.word(), trips);
            }
            NetioRequests requests = new NetioRequests(via);
            all.put(requests.word(), requests);
        }
        return all;
    }
}
