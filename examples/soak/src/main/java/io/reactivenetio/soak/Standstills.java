// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Stops processes again and again (SIGSTOP), each at moments of its own, and lets them go on. */
final class Standstills {
    private static final int ALL = 50;
    private static final int LONGEST_MILLIS = 10_000;
    private static final int SHORTEST_LONGEST_MILLIS = 2_000;
    private static final int LONGEST_LIFE_MILLIS = 300;

    private final String whose;
    private final int longest;
    private final AtomicInteger stops = new AtomicInteger();
    private final List<Thread> threads = new ArrayList<>();

    /** Begins, and goes on beside the caller. */
    Standstills(Ground ground, String whose, List<Worker> victims) {
        this.whose = whose;
        longest = ground.count(LONGEST_MILLIS, SHORTEST_LONGEST_MILLIS);
        int each = Math.ceilDiv(ground.count(ALL, 1), victims.size());
        for (Worker victim : List.copyOf(victims)) {
            List<Integer> still = ground.random().ints(each, 0, longest).boxed().toList();
            List<Integer> alive = ground.random().ints(each, 0, LONGEST_LIFE_MILLIS).boxed().toList();
            threads.add(Thread.ofVirtual().start(() -> stop(victim, still, alive)));
        }
    }

    private void stop(Worker victim, List<Integer> still, List<Integer> alive) {
        try {
            for (int i = 0; i < still.size(); i++) {
                victim.signal("STOP");
                TimeUnit.MILLISECONDS.sleep(still.get(i));
                victim.signal("CONT");
                stops.incrementAndGet();
                TimeUnit.MILLISECONDS.sleep(alive.get(i));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits until they are over. Returns what was done. */
    String end() throws InterruptedException {
        for (Thread thread : threads) {
            thread.join();
        }
        return this + " of up to " + longest / 1_000 + " s, " + whose;
    }

    @Override
    public String toString() {
        return stops + " standstills";
    }
}
