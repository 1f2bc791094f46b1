// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import io.reactivenetio.api.NetioConnection;

/** A bean that does something for each peer of the server, beside its handler and its publisher. */
public interface NetioConnectionService {

    /** Whether it has something to do. Asked when the server is about to listen. If so, the server needs STREAM framing. */
    boolean isUsed();

    /** Called on the loop with each new connection, before anything that its peer sends is delivered. It must not block. */
    void serve(NetioConnection connection);
}
