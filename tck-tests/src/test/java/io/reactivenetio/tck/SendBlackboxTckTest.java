// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.api.NetioConnection;
import java.nio.ByteBuffer;
import org.testng.annotations.Factory;

/** An element is a message. */
@SuppressWarnings("exports")
public class SendBlackboxTckTest extends SendBlackboxVerification<ByteBuffer> {

    @Factory(dataProvider = "every", dataProviderClass = Variant.class)
    SendBlackboxTckTest(Variant variant) {
        super(variant, NetioConnection::send, Loopback::message);
    }
}
