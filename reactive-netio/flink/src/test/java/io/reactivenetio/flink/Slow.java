// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.flink;

import org.apache.flink.api.common.functions.MapFunction;

/** Sleeps 10 ms at every 20th of the first records. */
final class Slow implements MapFunction<Told, Told> {
    private static final long serialVersionUID = 1;

    private final int records;
    private int n;

    Slow(int records) {
        this.records = records;
    }

    @Override
    public Told map(Told told) throws InterruptedException {
        if (++n % 20 == 0 && n < records) {
            pause();
        }
        return told;
    }

    static void pause() throws InterruptedException {
        Thread.sleep(10); // an operator that takes its time
    }
}
