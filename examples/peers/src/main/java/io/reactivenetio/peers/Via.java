// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.loop.LoopMechanism;
import io.reactivenetio.transport.BackendType;
import java.util.List;
import java.util.stream.Stream;

/** What this library's messages go by. */
enum Via {
    LIBFABRIC(BackendType.LIBFABRIC, LoopMechanism.EPOLL, "", "libfabric's tcp"),
    TCP(BackendType.TCP, LoopMechanism.EPOLL, " plain TCP", "plain TCP on epoll"),
    RING(BackendType.TCP, LoopMechanism.IO_URING, " plain TCP on io_uring", "plain TCP on io_uring");

    private final BackendType backend;
    private final LoopMechanism mechanism;
    private final String title;
    private final String words;

    Via(BackendType backend, LoopMechanism mechanism, String title, String words) {
        this.backend = backend;
        this.mechanism = mechanism;
        this.title = title;
        this.words = words;
    }

    /** Returns the ways that this machine has; on some io_uring is forbidden. */
    static List<Via> available() {
        return Stream.of(values()).filter(via -> via.mechanism.unavailability().isEmpty()).toList();
    }

    BackendType backend() {
        return backend;
    }

    LoopMechanism mechanism() {
        return mechanism;
    }

    /** What a title has behind the framing. */
    String title() {
        return title;
    }

    String words() {
        return words;
    }
}
