// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.micro;

import io.reactivenetio.ffm.fabric.Fi;
import io.reactivenetio.ffm.fabric.FiCompletionQueue;
import io.reactivenetio.ffm.fabric.FiDomain;
import io.reactivenetio.ffm.fabric.FiFabric;
import io.reactivenetio.ffm.fabric.FiInfo;
import io.reactivenetio.ffm.fabric.LibFabric;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A downcall into libfabric, through a pointer in a table of its own: fi_cq_read(3) of an empty queue of provider tcp. */
@State(Scope.Thread)
public class FabricCallBenchmark {
    private static final int BATCH = 64;

    private final FiInfo info = tcp(LibFabric.load());
    private final FiFabric fabric = LibFabric.load().openFabric(info);
    private final FiDomain domain = fabric.openDomain(info);
    private final FiCompletionQueue queue = domain.openCompletionQueue(BATCH);

    private static FiInfo tcp(LibFabric library) {
        try (FiInfo hints = library.hints()) {
            hints.providerName("tcp").endpointType(Fi.FI_EP_MSG).caps(Fi.FI_MSG).mode(Fi.FI_CONTEXT | Fi.FI_CONTEXT2)
                    .threading(Fi.FI_THREAD_DOMAIN);
            return library.getInfo("127.0.0.1", "0", Fi.FI_SOURCE | Fi.FI_NUMERICHOST, hints);
        }
    }

    @TearDown
    public void close() {
        queue.close();
        domain.close();
        fabric.close();
        info.close();
    }

    @Benchmark
    public int readEmptyQueue() {
        return queue.read(BATCH);
    }
}
