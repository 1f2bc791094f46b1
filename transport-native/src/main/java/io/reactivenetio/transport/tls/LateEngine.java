// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.tls;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** The engine of a connection, which a worker makes when the handshake begins, because that may read files. */
final class LateEngine {
    private final EngineSource source;
    private @Nullable SSLEngine made;

    LateEngine(EngineSource source) {
        this.source = source;
    }

    /** Makes it and begins the handshake. */
    void begin() throws SSLException {
        SSLEngine engine = source.make();
        made = engine;
        engine.beginHandshake();
    }

    boolean isMade() {
        return made != null;
    }

    SSLEngine get() {
        SSLEngine engine = made;
        if (engine == null) {
            throw new IllegalStateException("the engine has not been made");
        }
        return engine;
    }
}
