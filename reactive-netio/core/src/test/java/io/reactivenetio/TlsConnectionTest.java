// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio;

import io.reactivenetio.testing.AtFullScale;
import io.reactivenetio.transport.BackendType;
import org.junit.jupiter.api.Nested;

/** What holds for a connection, holds with TLS. */
class TlsConnectionTest {
    private abstract static class WithTls extends ConnectionTest {
        WithTls(BackendType backend) {
            super(backend);
        }

        @Override
        <T extends NetioTransport<T>> T prepared(T transport) {
            return transport.secure(TwoEnds.tls());
        }
    }

    @Nested
    class OverTcp extends WithTls {
        OverTcp() {
            super(BackendType.TCP);
        }
    }

    @AtFullScale
    @Nested
    class OverLibfabric extends WithTls {
        OverLibfabric() {
            super(BackendType.LIBFABRIC);
        }
    }
}
