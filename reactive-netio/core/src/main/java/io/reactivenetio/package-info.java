// SPDX-License-Identifier: Apache-2.0

/** RDMA endpoints as Reactive Streams: servers, clients and connections. */
@NullMarked
package io.reactivenetio;

import org.jspecify.annotations.NullMarked;
