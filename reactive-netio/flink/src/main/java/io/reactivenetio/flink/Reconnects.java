// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import io.reactivenetio.NetioClient;
import io.reactivenetio.NetioLoops;
import java.io.Serializable;
import java.time.Duration;
import org.apache.flink.util.function.SerializableFunction;
import reactor.util.retry.RetryBackoffSpec;

/** How a job connects, and how often again after failures in a row. */
record Reconnects(long attempts, Duration first, Duration most, SerializableFunction<NetioClient, NetioClient> client)
        implements Serializable {
    private static final Duration DAY = Duration.ofDays(1);

    /** Pauses that no clock can count would fail the job with their overflow, and not with what went wrong. */
    Reconnects {
        first = first.compareTo(DAY) > 0 ? DAY : first;
        most = most.compareTo(DAY) > 0 ? DAY : most;
    }

    NetioClient client(NetioEndpoint endpoint, NetioLoops loops) {
        return client.apply(NetioClient.create().host(endpoint.host()).port(endpoint.port())).runOn(loops);
    }

    /** Pauses on the loops' Scheduler: Reactor's own threads would stay when the job has ended. */
    RetryBackoffSpec retry(NetioLoops loops) {
        return RetryBackoffSpec.backoff(attempts, first).maxBackoff(most).transientErrors(true).scheduler(loops.scheduler());
    }
}
