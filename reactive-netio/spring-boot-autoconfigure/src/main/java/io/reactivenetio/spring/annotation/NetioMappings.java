// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.spring.NetioConnectionService;
import org.springframework.context.SmartLifecycle;

/**
 * The methods that are annotated with {@link NetioMapping}. They answer on the connections of the server and of the clients that
 * are configured; {@link #serve} has them answer on others. A stop waits for the requests that are being answered, and refuses
 * others. All methods may be called on any thread. The starter has the only implementation, and makes the bean.
 */
public interface NetioMappings extends NetioConnectionService, SmartLifecycle {
    /** Whether there is a method for the server. */
    @Override
    boolean isUsed();

    /**
     * Answers requests on {@code connection} as on those of the server. Call it in {@code doOnConnection} or
     * {@code doOnConnected}, so that no request comes before.
     *
     * @throws io.reactivenetio.transport.exceptions.NotSupportedException unless the connection has STREAM framing
     */
    @Override
    void serve(NetioConnection connection);

    /** How many requests are being answered. */
    long inFlight();
}
