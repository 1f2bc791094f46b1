// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.api.NetioConnection;
import java.nio.ByteBuffer;
import org.testng.annotations.Factory;

/** An element is a message. */
@SuppressWarnings("exports")
public class SendWhiteboxTckTest extends SendWhiteboxVerification<ByteBuffer> {

    @Factory(dataProvider = "every", dataProviderClass = Variant.class)
    SendWhiteboxTckTest(Variant variant) {
        super(variant, NetioConnection::send, Loopback::message);
    }
}
