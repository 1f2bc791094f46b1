// SPDX-License-Identifier: Apache-2.0

/**
 * Connects Reactive Streams of two processes, over RDMA or TCP. Messages of a Publisher here arrive at a Subscriber there, and
 * the demand of the Subscriber reaches the Publisher.
 *
 * <pre>{@code
 * DisposableServer server = NetioServer.create()
 *         .handle((in, out) -> in.receive(NetioCodec.utf8()).doOnNext(System.out::println).then())
 *         .bindNow();
 * NetioConnection connection = NetioClient.create().port(server.port()).connectNow();
 * connection.send(Flux.just("one", "two"), NetioCodec.utf8()).then(connection.completeOutbound()).block();
 * }</pre>
 *
 * This page is a tour of the package.
 *
 * <h2>Connections</h2>
 * A {@link io.reactivenetio.NetioServer} listens and a {@link io.reactivenetio.NetioClient} connects. Both are immutable: each
 * setting returns a changed copy, and {@link io.reactivenetio.NetioTransport} has the settings that both have. Either side gets a
 * {@link io.reactivenetio.api.NetioConnection}. What it {@linkplain io.reactivenetio.api.NetioInbound receives} is a Flux, and
 * what it {@linkplain io.reactivenetio.api.NetioOutbound sends} is any Publisher. The demand of the receiver becomes receive
 * buffers that are given to the network. Each of them is a credit of the sender. A sender without credits asks its Publisher for
 * nothing.
 *
 * <h2>Messages</h2>
 * A message is a {@link java.nio.ByteBuffer}, or a value that a {@link io.reactivenetio.NetioCodec} reads and writes; a
 * {@link io.reactivenetio.api.NetioEncoder} only writes. {@code receive()} copies each message. {@code receive(decoder)} shows it
 * where it has arrived. {@code receiveLeased()} leaves it there, as a {@link io.reactivenetio.api.Lease} that has to be closed. A
 * {@link io.reactivenetio.api.TaggedMessage} has a tag of 64 bits and a status besides.
 *
 * <h2>Many streams on a connection</h2>
 * {@link io.reactivenetio.api.NetioConnection#stream} is a stream with a tag, a demand and an end of its own. A
 * {@link io.reactivenetio.api.NetioRequester} asks questions that the other side answers with
 * {@link io.reactivenetio.api.NetioConnection#respond respond}. Publishers and subscribers by tag are in
 * {@link io.reactivenetio.pubsub}. How messages lie on the wire is the {@link io.reactivenetio.Framing}, and both sides need the
 * same: STREAM, unless set, has all of this.
 *
 * <h2>Threads</h2>
 * Each connection belongs to one loop of {@link io.reactivenetio.NetioLoops}, which is one thread. All signals come on it, and
 * nothing may block it. {@link io.reactivenetio.api.NetioConnection#scheduler} is the loop as a Scheduler. Demand, cancels and
 * calls may come from any thread.
 *
 * <h2>What goes wrong</h2>
 * Failures are {@link io.reactivenetio.transport.exceptions.NetioException}s, and say what was wrong and what to do.
 * {@link io.reactivenetio.api.ConnectionState} tells whether a client is connected, and why not.
 * {@link io.reactivenetio.api.ConnectionStatistics} counts what a connection does, and {@code io.reactivenetio.micrometer} makes
 * meters and observations of that.
 */
@NullMarked
package io.reactivenetio;

import org.jspecify.annotations.NullMarked;

