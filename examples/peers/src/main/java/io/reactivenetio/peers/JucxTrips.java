// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Outcome;
import io.reactivenetio.benchmarks.Work;
import java.io.IOException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** Round trips through UCX, with a posted receive for each request and each answer. */
final class JucxTrips implements Peer {

    @Override
    public String title() {
        return Jucx.TITLE;
    }

    @Override
    public String settings() {
        return Jucx.SETTINGS + ", or asks without end where it says spinning";
    }

    @Override
    public @Nullable String missing() {
        return Jucx.missing();
    }

    @Override
    public boolean spins() {
        return true;
    }

    @Override
    public Outcome listen(Work work, IntConsumer port) throws IOException {
        try (JucxEnd end = JucxEnd.listen(work, port)) {
            Numbers numbers = new Numbers(work);
            JucxSlots requests = end.slots(work.inFlight(), work.size()).receiveAll();
            int slot = requests.slot(0);
            for (long turn = 0, number; (number = requests.await(slot)) != Numbers.LAST; slot = requests.slot(++turn)) {
                numbers.check(number);
                requests.send(slot);
                requests.await(slot); // small answers leave at once
                requests.receive(slot);
            }
            Outcome outcome = numbers.end();
            end.finish();
            return outcome;
        }
    }

    @Override
    public Outcome connect(Work work, int port) throws IOException {
        try (JucxEnd end = JucxEnd.connect(work, port)) {
            JucxSlots answers = end.slots(work.inFlight(), work.size()).receiveAll();
            JucxSlots requests = end.slots(work.inFlight(), work.size());
            Trips trips = new Trips(work);
            long turn = 0;
            for (int lane = 0; lane < trips.lanes(); lane++) {
                requests.send(requests.slot(turn++), trips.first(lane));
            }
            for (long answered = 0; !trips.isOver(); answered++) {
                int slot = answers.slot(answered);
                long next = trips.answered(answers.await(slot));
                answers.receive(slot);
                if (next != Numbers.LAST) {
                    requests.send(requests.slot(turn++), next);
                }
            }
            requests.send(requests.slot(turn), Numbers.LAST);
            requests.awaitAll();
            Outcome outcome = trips.end();
            end.finish();
            return outcome;
        }
    }
}
