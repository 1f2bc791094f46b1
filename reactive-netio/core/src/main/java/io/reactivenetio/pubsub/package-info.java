// SPDX-License-Identifier: Apache-2.0

/**
 * Publish and subscribe by 64-bit tag, over connections with {@link io.reactivenetio.Framing#stream}.
 *
 * <p>A {@link io.reactivenetio.pubsub.NetioPublisher} is given sources, each for one tag or several, and
 * {@linkplain io.reactivenetio.pubsub.NetioPublisher#serve(io.reactivenetio.NetioServer) serves} them on every connection of a
 * server, or on a single connection. A {@link io.reactivenetio.pubsub.NetioSubscriber} is made of a client. It subscribes to tags
 * or to a {@linkplain io.reactivenetio.api.Tags choice of tags}. {@link io.reactivenetio.api.SlowPolicy} says what happens
 * to subscribers that are slow, and {@link io.reactivenetio.pubsub.Missed} how many messages did not reach one.
 *
 * <pre>{@code
 * DisposableServer server = NetioPublisher.create().publish(7, hits).serve(NetioServer.create().port(7000)).bindNow();
 * Flux<TaggedMessage> received = NetioSubscriber.create(NetioClient.create().port(7000)).subscribe(7);
 * }</pre>
 */
@NullMarked
package io.reactivenetio.pubsub;

import org.jspecify.annotations.NullMarked;

