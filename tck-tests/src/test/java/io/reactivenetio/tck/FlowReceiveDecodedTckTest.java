// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import java.nio.ByteBuffer;
import org.testng.annotations.Factory;

/** What a decoder makes of it. */
@SuppressWarnings("exports")
public class FlowReceiveDecodedTckTest extends FlowReceiveVerification<Long> {

    @Factory(dataProvider = "everyBackend", dataProviderClass = Variant.class)
    FlowReceiveDecodedTckTest(Variant variant) {
        super(variant, connection -> connection.receive(ByteBuffer::getLong));
    }
}
