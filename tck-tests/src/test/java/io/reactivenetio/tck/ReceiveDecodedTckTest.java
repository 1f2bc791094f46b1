// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import java.nio.ByteBuffer;
import org.testng.annotations.Factory;

/** What a decoder makes of it. */
@SuppressWarnings("exports")
public class ReceiveDecodedTckTest extends ReceiveVerification<Long> {

    @Factory(dataProvider = "everyInTime", dataProviderClass = Variant.class)
    ReceiveDecodedTckTest(Variant variant) {
        super(variant, connection -> connection.receive(ByteBuffer::getLong));
    }
}
