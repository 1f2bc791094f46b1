// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.api.NetioConnection;
import java.nio.ByteBuffer;
import org.testng.annotations.Factory;

/** Copies of what arrives. */
@SuppressWarnings("exports")
public class ReceiveTckTest extends ReceiveVerification<ByteBuffer> {

    @Factory(dataProvider = "everyAndAhead", dataProviderClass = Variant.class)
    ReceiveTckTest(Variant variant) {
        super(variant, NetioConnection::receive);
    }
}
