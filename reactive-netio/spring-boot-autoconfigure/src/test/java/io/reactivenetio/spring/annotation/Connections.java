// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring.annotation;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.ConnectionStatistics;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.spring.NetioClientCustomizer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A bean that knows the connections that the application's clients have made. */
public class Connections implements NetioClientCustomizer {
    final List<NetioConnection> all = new CopyOnWriteArrayList<>();

    public Connections() {
    }

    @Override
    public NetioClient customize(String name, NetioClient client) {
        return client.receiveBuffers(4096, 8).doOnConnected(all::add);
    }

    /** Whether every lease was given back. */
    boolean hasNoLeases() {
        return all.stream().map(NetioConnection::statistics).allMatch(now -> now.leasedBuffers() == 0 && now.leasedCopies() == 0);
    }

    List<ConnectionStatistics> statistics() {
        return all.stream().map(NetioConnection::statistics).toList();
    }
}
