// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.Framing;
import io.reactivenetio.benchmarks.CProgram;
import io.reactivenetio.peers.NetioPeer.Receiving;
import io.reactivenetio.peers.NetioPeer.Source;
import java.util.List;

/** The end in C, of {@code examples/clients/c}, on one side, and this library on the other: plain TCP, STREAM framing. */
final class CEnd {
    private static final NetioPeer OWN = new NetioPeer(Framing.stream(), Via.TCP, Receiving.DECODED, Source.SAME_BUFFER);

    private CEnd() {
    }

    static CProgram compile() {
        return CProgram.compile(CEnd.class, "race", List.of("netio.h", "netio.c", "race.c"), List.of(), "which gcc is it?");
    }

    static String title(boolean sends) {
        return OWN.framing() + OWN.via().title() + (sends ? " receive(decoder), C end sends" : " one buffer, C end receives");
    }

    static Contender contender(CProgram program, boolean sends) {
        return Contender.mixed(title(sends), "on one side: " + OWN.settings(), OWN.word(), program, sends);
    }
}
