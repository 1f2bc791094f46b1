// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** A stream through UCX: sends and posted receives, as many as the work has in flight. */
final class JucxPeer implements Peer {
    private static final int MEMORY = 64 << 20;

    @Override
    public String title() {
        return Jucx.TITLE;
    }

    @Override
    public String settings() {
        return Jucx.SETTINGS + "; 64 sends and 64 posted receives, or as many as fit in 64 MiB";
    }

    @Override
    public @Nullable String missing() {
        return Jucx.missing();
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws IOException {
        try (JucxEnd end = JucxEnd.listen(work, port)) {
            Numbers numbers = new Numbers(work);
            JucxSlots messages = slots(end, work).receiveAll();
            int slot = messages.slot(0);
            for (long turn = 0, number; (number = messages.await(slot)) != Numbers.LAST; slot = messages.slot(++turn)) {
                numbers.check(number);
                messages.receive(slot);
            }
            Outcome outcome = numbers.end();
            end.finish();
            return outcome;
        }
    }

    @Override
    public Outcome connect(Work work, int port) throws IOException {
        try (JucxEnd end = JucxEnd.connect(work, port)) {
            JucxSlots messages = slots(end, work);
            Numbers numbers = new Numbers(work);
            long number;
            long turn = 0;
            do {
                number = numbers.next();
                messages.send(messages.slot(turn++), number);
            } while (number != Numbers.LAST);
            messages.awaitAll();
            Outcome outcome = numbers.end();
            end.finish();
            return outcome;
        }
    }

    private static JucxSlots slots(JucxEnd end, Work work) {
        return end.slots(Math.min(work.inFlight(), MEMORY / work.size()), work.size());
    }
}
