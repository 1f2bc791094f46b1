// SPDX-License-Identifier: Apache-2.0
package com.example.plain;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioCodec;
import io.reactivenetio.NetioServer;
import io.reactivenetio.transport.BackendType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import reactor.core.publisher.Flux;

/** Sends ten messages over the backend that its argument names, and fails unless they arrive. */
public final class TenMessages {
    private static final Duration LONGEST = Duration.ofSeconds(10);

    private TenMessages() {
    }

    /** The argument is {@code tcp} or {@code libfabric}. */
    public static void main(String[] args) {
        BackendType backend = args[0].equals("tcp") ? BackendType.TCP : BackendType.LIBFABRIC;
        List<String> sent = IntStream.rangeClosed(1, 10).mapToObj(i -> "event " + i).toList();
        List<String> arrived = new CopyOnWriteArrayList<>();
        var server = NetioServer.create().backend(backend)
                .handle((in, out) -> in.receive(NetioCodec.utf8()).doOnNext(arrived::add).then())
                .bindNow();
        var connection = NetioClient.create().backend(backend).port(server.port()).connectNow();
        connection.send(Flux.fromIterable(sent), NetioCodec.utf8()).then(connection.completeOutbound()).block(LONGEST);
        connection.onDispose().block(LONGEST);
        server.dispose();
        if (!arrived.equals(sent)) {
            throw new IllegalStateException("sent " + sent + ", and received " + arrived);
        }
        String path = TenMessages.class.getModule().isNamed() ? "module path" : "class path";
        System.out.println("ten messages over " + args[0] + " on the " + path);
    }
}
