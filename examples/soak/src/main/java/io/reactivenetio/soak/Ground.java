// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.soak;

import java.time.Duration;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What a campaign stands on: its time, its processes, and the place for what it finds. Closing it kills the processes. */
final class Ground implements AutoCloseable {
    private static final double LONG = 0.5;

    private final String campaign;
    private final Duration time;
    private final double scale;
    private final Random random;
    private final Consumer<Finding> findings;
    private final @Nullable Plant plant;
    private final int oneIn;
    private final Deque<Worker> workers = new ConcurrentLinkedDeque<>();
    private volatile String progress = "";

    Ground(Campaign campaign, double minutes, long seed, Consumer<Finding> findings) {
        this(campaign, minutes, seed, findings, null, 1);
    }

    /** Makes one in whose processes a fault is planted, once in so many. */
    Ground(Campaign campaign, double minutes, long seed, Consumer<Finding> findings, @Nullable Plant plant, int oneIn) {
        this.plant = plant;
        this.oneIn = oneIn;
        this.campaign = campaign.name();
        this.findings = findings;
        scale = Math.min(1, minutes / SoakProgram.FULL_MINUTES);
        time = Duration.ofMillis((long) (minutes / SoakProgram.FULL_MINUTES * campaign.share() * 60_000));
        random = new Random(seed ^ campaign.name().hashCode());
    }

    /** How long faults are injected. What comes before and behind is not of it, and should be short. */
    Duration time() {
        return time;
    }

    /**
     * Returns whether the run is too short to judge how fast something is: its processes are not warm, and the machine may do
     * something else at the time.
     */
    boolean isShort() {
        return scale < LONG;
    }

    /** Returns {@code full} in a full run, less in a shorter one, and never less than {@code least}. */
    int count(int full, int least) {
        return Math.max(least, (int) Math.round(full * scale));
    }

    /** Decides what is left to chance: the same in each run with the same seed. */
    Random random() {
        return random;
    }

    /** What is planted, as the arguments of {@link PlantedFaults}. */
    List<Object> planted() {
        return List.of(plant == null ? PlantedFaults.NONE : plant.name(), oneIn);
    }

    /** Starts a process that plays a role of {@link Campaigns}. */
    Worker start(String role, Object... arguments) {
        return start(List.of(), List.of(), role, arguments);
    }

    /** Starts one with options for the JVM, by another command; see {@link Worker#start}. */
    Worker start(List<String> prefix, List<String> options, String role, Object... arguments) {
        Worker worker = Worker.start(prefix, options, role, List.of(arguments).stream().map(String::valueOf).toList());
        workers.add(worker);
        return worker;
    }

    /** What the live view shows. Any thread. */
    void progress(String text) {
        progress = text;
    }

    String progress() {
        return progress;
    }

    /** Tells what came of one kind of fault: a row of the table. */
    void check(String injected, String expected, String seen, boolean holds) {
        findings.accept(new Finding(campaign, injected, expected, seen, holds));
    }

    @Override
    public void close() {
        workers.forEach(Worker::close);
    }
}
