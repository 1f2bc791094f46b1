// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import io.reactivenetio.NetioLoops;
import io.reactivenetio.loop.LoopMechanism;
import io.reactivenetio.transport.BackendType;
import java.util.Locale;

/** A backend, and what its loops wait by. */
enum TrafficWay {
    TCP(BackendType.TCP, LoopMechanism.EPOLL),
    TCP_IO_URING(BackendType.TCP, LoopMechanism.IO_URING),
    LIBFABRIC(BackendType.LIBFABRIC, LoopMechanism.EPOLL);

    private final BackendType backend;
    private final LoopMechanism mechanism;

    TrafficWay(BackendType backend, LoopMechanism mechanism) {
        this.backend = backend;
        this.mechanism = mechanism;
    }

    BackendType backend() {
        return backend;
    }

    LoopMechanism mechanism() {
        return mechanism;
    }

    /** Makes one loop. */
    NetioLoops loops() {
        return NetioLoops.builder().name("soak-" + name().toLowerCase(Locale.ROOT)).number(1).mechanism(mechanism).build();
    }
}
