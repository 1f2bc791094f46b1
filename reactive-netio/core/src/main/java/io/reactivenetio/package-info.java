// SPDX-License-Identifier: Apache-2.0

/**
 * RDMA endpoints as Reactive Streams. {@link io.reactivenetio.NetioServer} and {@link io.reactivenetio.NetioClient} make
 * {@linkplain io.reactivenetio.NetioConnection connections}, whose receivers and senders are Publishers and Subscribers.
 */
@NullMarked
package io.reactivenetio;

import org.jspecify.annotations.NullMarked;

