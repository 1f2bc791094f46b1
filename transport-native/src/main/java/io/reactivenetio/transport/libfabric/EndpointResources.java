// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiEndpoint;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.base.BackendContext;
import io.reactivenetio.transport.base.EndpointBase;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What one connection has of libfabric, and the order in which that is opened and closed. Confined to the loop. */
final class EndpointResources {
    private final BackendContext backend;
    private final LoopFabrics fabrics;
    private final EndpointBase user;
    private final FiInfo info;
    private final List<MemorySegment> registered = new ArrayList<>(4);
    private @Nullable FabricResources fabric;
    private @Nullable LoopDomain domain;
    private @Nullable SharedReceives shared;
    private @Nullable FiEndpoint endpoint;
    private @Nullable QueuePlace place;

    /** Takes {@code info} over: it is closed with the rest. */
    EndpointResources(BackendContext backend, LoopFabrics fabrics, EndpointBase user, FiInfo info) {
        this.backend = backend;
        this.fabrics = fabrics;
        this.user = user;
        this.info = info;
    }

    /** Finds the domain. Returns the receive buffers that the connection shares there; null if it has its own. */
    @Nullable SharedReceives join(String fabricName, ConnectionParameters parameters) {
        FabricResources found = fabrics.resources(fabricName, info);
        fabrics.requireFit(info, parameters);
        fabric = found;
        LoopDomain on = found.domain(info);
        domain = on;
        if (!backend.bufferPolicy().sharesReceives(parameters)) {
            return null;
        }
        SharedReceives common = on.join(user, info, parameters);
        shared = common;
        info.sharedReceiveContext();
        return common;
    }

    /**
     * Makes the libfabric endpoint, with a queue for so many completions, and enables it. After {@link #join}. Its completions
     * go to {@code completed}, and its events to {@code connected}.
     */
    FiEndpoint open(int completions, CompletionQueue.Owner completed, ConnectionEvents.Owner connected) {
        FabricResources in = fabric;
        LoopDomain on = domain;
        if (in == null || on == null) {
            throw new IllegalStateException(user.handle() + " has no domain yet");
        }
        FiEndpoint created = on.domain().openEndpoint(info);
        endpoint = created;
        QueuePlace opened = on.sharedQueues().place(completions, completed);
        place = opened;
        created.bind(in.events().queue());
        created.bind(opened.queue(), Fi.FI_TRANSMIT | Fi.FI_RECV);
        SharedReceives common = shared;
        if (common != null) {
            created.bind(common.context());
        }
        created.enable();
        in.events().add(created.address(), connected);
        return created;
    }

    /** The memory descriptor of {@code memory}, which stays registered until the close. */
    long register(MemorySegment memory) {
        LoopDomain on = domain;
        if (on == null) {
            throw new IllegalStateException(user.handle() + " has no domain yet");
        }
        long descriptor = on.registrations().acquire(memory);
        registered.add(memory);
        return descriptor;
    }

    /** What the contexts of its operations have in common. After {@link #open}. */
    long owner() {
        QueuePlace own = place;
        return own == null ? 0 : own.owner();
    }

    @Nullable FiEndpoint endpoint() {
        return endpoint;
    }

    /** Has the completion queue read from now on, if there is one. */
    void activateQueue() {
        QueuePlace own = place;
        if (own != null) {
            own.activate();
        }
    }

    /** Reads the completions that have arrived. */
    void drainQueue() {
        QueuePlace own = place;
        if (own != null) {
            own.drain();
        }
    }

    /** Closes what was opened, whatever that is, and with {@code shutDown} tells the peer before. */
    void close(boolean shutDown) {
        FiEndpoint open = endpoint;
        FabricResources in = fabric;
        if (open != null && in != null) {
            in.events().remove(open.address());
            if (shutDown) {
                shutDown(open);
            }
        }
        if (shared != null) {
            drainQueue(); // verbs gives a shared receive back here or never
        }
        if (open != null) {
            open.close();
        }
        drainQueue(); // sends that completed meanwhile are told as completed, not as cancelled
        QueuePlace own = place;
        if (own != null) {
            own.leave();
        }
        leaveDomain();
        info.close();
    }

    /** If the peer cannot be told, the rest has to be closed all the same. */
    private void shutDown(FiEndpoint open) {
        try {
            open.shutdown();
        } catch (RuntimeException e) {
            backend.report(e);
        }
    }

    private void leaveDomain() {
        LoopDomain on = domain;
        if (on == null) {
            return;
        }
        registered.forEach(on.registrations()::release);
        SharedReceives common = shared;
        if (common != null) {
            on.leave(user, common);
        }
    }
}
