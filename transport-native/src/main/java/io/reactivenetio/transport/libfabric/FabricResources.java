// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FiFabric;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.LibFabric;
import io.reactivenetio.loop.EventLoop;

/** One fabric on one loop: its event queue, its completion queues and its domains, opened when first needed. */
final class FabricResources {
    private final EventLoop loop;
    private final FiFabric fabric;
    private final ConnectionEvents events;
    private final CompletionQueues queues;
    private final Domains domains;
    private int holders;
    private boolean closing;

    FabricResources(EventLoop loop, LibFabric library, FiInfo info) {
        this.loop = loop;
        this.fabric = library.openFabric(info);
        this.domains = new Domains(fabric);
        this.events = new ConnectionEvents(loop, fabric);
        this.queues = new CompletionQueues(loop, fabric);
        loop.addPoller(queues);
        events.start();
    }

    FiFabric fabric() {
        return fabric;
    }

    ConnectionEvents events() {
        return events;
    }

    CompletionQueues queues() {
        return queues;
    }

    Domains domains() {
        return domains;
    }

    /** What is opened from here is in use elsewhere, until {@link #release}. */
    void hold() {
        holders++;
    }

    void release() {
        holders--;
        if (closing && holders == 0) {
            closeAll();
        }
    }

    /** After every endpoint is closed, but for those that hold it still: the last of them takes the rest along. */
    void close() {
        loop.removePoller(queues);
        events.stop();
        closing = true;
        if (holders == 0) {
            closeAll();
        }
    }

    private void closeAll() {
        domains.close();
        events.close();
        fabric.close();
    }
}
