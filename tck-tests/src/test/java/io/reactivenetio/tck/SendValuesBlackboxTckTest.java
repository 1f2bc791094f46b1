// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import io.reactivenetio.NetioCodec;
import org.testng.annotations.Factory;

/** An element is a value, of which an encoder makes a message. */
@SuppressWarnings("exports")
public class SendValuesBlackboxTckTest extends SendBlackboxVerification<Long> {

    @Factory(dataProvider = "everyInTime", dataProviderClass = Variant.class)
    SendValuesBlackboxTckTest(Variant variant) {
        super(variant, (connection, values) -> connection.send(values, NetioCodec.longs()), Long::valueOf);
    }
}
