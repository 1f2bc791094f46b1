// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.ffm.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.testing.TestSettings;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;

/**
 * A fabric, a domain and one of each queue, and the waiting that tests do: on provider tcp over 127.0.0.1, or where
 * {@link TestSettings} says, so that the same tests run over verbs.
 */
final class Loopback implements AutoCloseable {

    final LibFabric library = LibFabric.load();
    final FiInfo info;
    final FiFabric fabric;
    final FiDomain domain;
    final FiEventQueue events;
    final FiCompletionQueue completions;
    final Arena arena = Arena.ofConfined();
    final MemorySegment memory = arena.allocate(1 << 16, 64);

    Loopback() {
        try (FiInfo hints = hints(library)) {
            info = library.getInfo(TestSettings.ADDRESS, "0", Fi.FI_SOURCE | Fi.FI_NUMERICHOST, hints);
        }
        fabric = library.openFabric(info);
        domain = fabric.openDomain(info);
        events = fabric.openEventQueue();
        completions = domain.openCompletionQueue(64);
    }

    static FiInfo hints(LibFabric library) {
        return library.hints().providerName(TestSettings.PROVIDER).caps(Fi.FI_MSG).endpointType(Fi.FI_EP_MSG)
                .addrFormat(Fi.FI_SOCKADDR_IN).mode(Fi.FI_CONTEXT | Fi.FI_CONTEXT2).threading(Fi.FI_THREAD_DOMAIN)
                .mrMode(Fi.FI_MR_LOCAL | Fi.FI_MR_VIRT_ADDR | Fi.FI_MR_ALLOCATED | Fi.FI_MR_PROV_KEY);
    }

    FiInfo destination(InetSocketAddress address) {
        try (FiInfo hints = hints(library)) {
            return library.getInfo(address.getAddress().getHostAddress(), Integer.toString(address.getPort()), Fi.FI_NUMERICHOST,
                    hints);
        }
    }

    FiPassiveEndpoint listener() {
        FiPassiveEndpoint listener = fabric.openPassiveEndpoint(info);
        listener.bind(events);
        listener.listen();
        return listener;
    }

    FiEndpoint endpoint(FiInfo of) {
        FiEndpoint endpoint = domain.openEndpoint(of);
        endpoint.bind(events);
        endpoint.bind(completions, Fi.FI_TRANSMIT | Fi.FI_RECV);
        endpoint.enable();
        return endpoint;
    }

    /** The next event, whatever it is, or -FI_EAVAIL. */
    int nextEvent() {
        long deadline = System.nanoTime() + TestSettings.PATIENCE.toNanos();
        int event = events.read();
        while (event == -Fi.FI_EAGAIN && System.nanoTime() < deadline) {
            completions.read(0);
            Thread.onSpinWait();
            event = events.read();
        }
        return event;
    }

    void expectEvent(int expected) {
        assertThat(nextEvent()).isEqualTo(expected);
    }

    /** The next single completion: 1, or -FI_EAVAIL, or -FI_EAGAIN after waiting in vain. */
    int nextCompletion() {
        long deadline = System.nanoTime() + TestSettings.PATIENCE.toNanos();
        int count = completions.read(1);
        while (count == -Fi.FI_EAGAIN && System.nanoTime() < deadline) {
            Thread.onSpinWait();
            count = completions.read(1);
        }
        return count;
    }

    @Override
    public void close() {
        completions.close();
        events.close();
        domain.close();
        fabric.close();
        info.close();
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
