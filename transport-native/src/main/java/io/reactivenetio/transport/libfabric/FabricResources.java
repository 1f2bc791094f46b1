// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.FiDomain;
import io.reactivenetio.ffm.FiFabric;
import io.reactivenetio.ffm.FiInfo;
import io.reactivenetio.ffm.LibFabric;
import io.reactivenetio.loop.EventLoop;
import java.util.HashMap;
import java.util.Map;

/** One fabric on one loop: its event queue, its completion queues and its domains, opened when first needed. */
final class FabricResources {
    private final EventLoop loop;
    private final FiFabric fabric;
    private final ConnectionEvents events;
    private final CompletionQueues queues;
    private final Map<String, FiDomain> domains = new HashMap<>();

    FabricResources(EventLoop loop, LibFabric library, FiInfo info) {
        this.loop = loop;
        this.fabric = library.openFabric(info);
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

    FiDomain domain(FiInfo info) {
        return domains.computeIfAbsent(info.domainName(), name -> fabric.openDomain(info));
    }

    /** After every endpoint is closed. */
    void close() {
        loop.removePoller(queues);
        events.stop();
        domains.values().forEach(FiDomain::close);
        domains.clear();
        events.close();
        fabric.close();
    }
}
