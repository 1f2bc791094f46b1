// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.demo;

import java.util.SplittableRandom;

/** Poisson-distributed numbers of hits on random channels. The same seed gives the same hits. Not thread-safe. */
final class HitGenerator {
    static final double MAX_MEAN = 500;
    private static final int CHANNELS = 1024;
    private static final int CHARGES = 4096;

    private final SplittableRandom random;
    private final double[] cumulative;

    HitGenerator(double mean, long seed) {
        if (mean <= 0 || mean > MAX_MEAN) {
            throw new IllegalArgumentException("mean number of hits must be between 0 and " + MAX_MEAN + ": " + mean);
        }
        random = new SplittableRandom(seed);
        cumulative = cumulative(mean);
    }

    /** P(n <= index); what is beyond the last entry is less than a rounding error. */
    private static double[] cumulative(double mean) {
        double[] sums = new double[(int) (mean + 20 * Math.sqrt(mean) + 20)];
        double logOfTerm = -mean;
        double sum = 0;
        for (int n = 0; n < sums.length; n++) {
            sum += Math.exp(logOfTerm);
            sums[n] = sum;
            logOfTerm += Math.log(mean / (n + 1));
        }
        return sums;
    }

    /** How many hits the next fragment has. */
    int nextCount() {
        double u = random.nextDouble();
        int low = 0;
        int high = cumulative.length - 1;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (cumulative[middle] > u) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /** Fills {@code hits} with the next fragment's hits, and returns how many they are. */
    int fill(int[] hits) {
        int count = Math.min(nextCount(), hits.length);
        for (int i = 0; i < count; i++) {
            hits[i] = random.nextInt(CHANNELS) | random.nextInt(CHARGES) << 16;
        }
        return count;
    }
}
