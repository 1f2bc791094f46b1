// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/** Writes splits for checkpoints and for their way to the readers. */
final class NetioSplitSerializer extends StateFormat<NetioSplit> {
    NetioSplitSerializer() {
        super("a split");
    }

    @Override
    void write(NetioSplit split, DataOutputStream out) throws IOException {
        writeSplit(split, out);
    }

    @Override
    NetioSplit read(DataInputStream in) throws IOException {
        return readSplit(in);
    }
}
