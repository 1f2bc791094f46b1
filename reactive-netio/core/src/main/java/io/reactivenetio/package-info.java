// SPDX-License-Identifier: Apache-2.0

/**
 * RDMA endpoints as Reactive Streams. {@link io.reactivenetio.NetioServer} and {@link io.reactivenetio.NetioClient} make
 * {@linkplain io.reactivenetio.NetioConnection connections}, whose receivers and senders are Publishers and Subscribers.
 * Messages for many subscribers, by tag, are in {@link io.reactivenetio.pubsub}.
 */
@NullMarked
package io.reactivenetio;

import org.jspecify.annotations.NullMarked;

