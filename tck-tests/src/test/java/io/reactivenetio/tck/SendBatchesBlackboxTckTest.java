// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.NetioCodec;
import java.nio.ByteBuffer;
import java.util.List;
import org.testng.annotations.Factory;

/** An element is a list of messages. */
@SuppressWarnings("exports")
public class SendBatchesBlackboxTckTest extends SendBlackboxVerification<List<ByteBuffer>> {

    @Factory(dataProvider = "everyInTime", dataProviderClass = Variant.class)
    SendBatchesBlackboxTckTest(Variant variant) {
        super(variant, (connection, batches) -> connection.sendBatches(batches, NetioCodec.buffers()),
                number -> List.of(Loopback.message(number), Loopback.message(-number)));
    }
}
