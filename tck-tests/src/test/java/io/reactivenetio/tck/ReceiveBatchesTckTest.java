// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import org.testng.annotations.Factory;

/** Batches of one message, so that elements can be counted. */
@SuppressWarnings("exports")
public class ReceiveBatchesTckTest extends ReceiveVerification<Long> {

    @Factory(dataProvider = "everyInTime", dataProviderClass = Variant.class)
    ReceiveBatchesTckTest(Variant variant) {
        super(variant, connection -> connection.receiveBatches(1).map(batch -> batch.next() ? batch.getLong(0) : -1));
    }
}
