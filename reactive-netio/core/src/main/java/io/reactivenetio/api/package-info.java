// SPDX-License-Identifier: Apache-2.0

/**
 * What users program against, without the logic behind it: connections and what they send and receive, values, and the interfaces
 * that users implement. {@link io.reactivenetio.NetioServer} and {@link io.reactivenetio.NetioClient} make connections. Every
 * other package of the library may use this one, which uses none of them but the exceptions and enums of the transport, and the
 * Scheduler that keeps leases.
 */
@NullMarked
package io.reactivenetio.api;

import org.jspecify.annotations.NullMarked;
