// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivenetio.ffm.fabric.FabricException;
import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiDomain;
import io.reactivenetio.ffm.fabric.FiFabric;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.FiMemoryRegion;
import io.reactivenetio.ffm.fabric.LibFabric;
import io.reactivenetio.loop.EventLoop;
import io.reactivenetio.transport.BackendType;
import io.reactivenetio.transport.backend.BackendCallbacks;
import io.reactivenetio.transport.backend.BackendConfig;
import io.reactivenetio.transport.backend.ConnectionParameters;
import io.reactivenetio.transport.backend.NetworkBackend;
import io.reactivenetio.transport.base.BackendContext;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Shared receive buffers that cannot be registered: on verbs, more than may be locked in memory. */
@Timeout(60)
class SharedReceivesTest {
    private static final ConnectionParameters SHARED = ConnectionParameters.defaults().withSharedReceiveBuffers(64, 4);

    @Test
    void shouldLeaveNothingInTheDomain() throws Exception {
        LibFabric library = LibFabric.load();
        EventLoop loop = EventLoop.create("shared");
        LibfabricBackend backend = (LibfabricBackend) NetworkBackend.create(BackendType.LIBFABRIC, BackendConfig.defaults(), loop,
                BackendCallbacks.NONE);
        loop.start();
        try (FiInfo info = new AddressSelection(library, "tcp").local(new InetSocketAddress("127.0.0.1", 0));
                FiFabric fabric = library.openFabric(info);
                FiDomain opened = fabric.openDomain(info)) {
            FiMemoryRegion first = opened.register(Arena.global().allocate(64), Fi.FI_SEND, 1);
            Assumptions.assumeTrue(refusesAKeyTwice(opened), "this version of libfabric refuses no registration");
            CompletableFuture.runAsync(() -> {
                BackendContext context = backend.context();
                LoopDomain domain = new LoopDomain(context, library, opened, Fi.FI_MR_LOCAL, new CompletionQueues(loop, fabric));
                assertThatThrownBy(() -> new SharedReceives(context, domain, info, SHARED)) // its key will be 1 as well
                        .isInstanceOf(FabricException.class).hasMessageContaining("fi_mr_reg");
                assertThat(domain.registrations().size()).isZero();
                first.close();
                domain.close();
            }, loop).get(20, TimeUnit.SECONDS);
        } finally {
            loop.close();
        }
    }

    /** tcp does, up to 1.17; later it has no use for the key. */
    private static boolean refusesAKeyTwice(FiDomain domain) {
        try {
            domain.register(Arena.global().allocate(64), Fi.FI_SEND, 1).close();
            return false;
        } catch (FabricException e) {
            return true;
        }
    }
}
