// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Writes the enumerator's state for checkpoints. */
final class NetioEnumeratorStateSerializer extends StateFormat<NetioEnumeratorState> {
    NetioEnumeratorStateSerializer() {
        super("the enumerator");
    }

    @Override
    void write(NetioEnumeratorState state, DataOutputStream out) throws IOException {
        out.writeInt(state.known().size());
        for (String id : state.known()) {
            out.writeUTF(id);
        }
        out.writeInt(state.unassigned().size());
        for (NetioSplit split : state.unassigned()) {
            writeSplit(split, out);
        }
    }

    @Override
    NetioEnumeratorState read(DataInputStream in) throws IOException {
        Set<String> known = new LinkedHashSet<>();
        for (int left = number(in); left > 0; left--) {
            known.add(in.readUTF());
        }
        List<NetioSplit> unassigned = new ArrayList<>();
        for (int left = number(in); left > 0; left--) {
            unassigned.add(readSplit(in));
        }
        return new NetioEnumeratorState(known, unassigned);
    }

    /** Each takes two bytes at least, so a number that cannot be is found before anything is kept for it. */
    private static int number(DataInputStream in) throws IOException {
        int number = in.readInt();
        if (number < 0 || number > in.available() / 2) {
            throw new IOException(number + " elements in " + in.available() + " bytes");
        }
        return number;
    }
}
