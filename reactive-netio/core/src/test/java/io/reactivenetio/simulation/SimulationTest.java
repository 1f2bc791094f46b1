// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.FramingKind;
import io.reactivenetio.testing.TestSettings;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Thousands of worlds, see CONTRIBUTING.md. {@code -Dnetio.test.worlds=1000000} runs more, {@code -Dnetio.test.world=SEED} one
 * alone; a world that fails is made small before it is reported.
 */
@Timeout(value = 24, unit = TimeUnit.HOURS)
class SimulationTest {
    private static final long WORLDS = Long.getLong("netio.test.worlds", TestSettings.scaled(10_000));
    private static final int GIVEN_UP = 50;
    private static final long FIRST = Long.getLong("netio.test.world", 1);

    @BeforeAll
    static void install() {
        SimulatedSchedulers.install();
    }

    @AfterAll
    static void uninstall() {
        SimulatedSchedulers.uninstall();
    }

    @Test
    void shouldFindNothingWrongInAnyWorld() {
        long worlds = System.getProperty("netio.test.world") == null ? WORLDS : 1;
        LongStream.range(FIRST, FIRST + worlds).parallel().forEach(seed -> {
            List<String> wrong = Worlds.run(Scenarios.of(seed));
            if (!wrong.isEmpty()) {
                Scenario small = Worlds.shrink(Scenarios.of(seed));
                throw new AssertionError("world " + seed + ": " + String.join("\n  ", wrong) + "\nas small as it gets: " + small
                        + "\n  " + String.join("\n  ", Worlds.run(small)));
            }
        });
    }

    /** A subscription that nobody has served must not be kept when it has ended. */
    @Test
    void shouldForgetSubscriptionsThatAreGivenUp() {
        LongStream.iterate(1, seed -> seed + 1).mapToObj(Scenarios::of)
                .filter(each -> each.setup().framing() == FramingKind.STREAM && each.setup().maxStreams() > GIVEN_UP)
                .limit(10).forEach(streams -> { // over some networks they do not arrive before they are given up
                    for (Step.Side side : Step.Side.values()) {
                        Step giveUp = new Step.GiveUp(0, 0, side, GIVEN_UP);
                        assertThat(Worlds.run(streams.withSteps(List.of(giveUp)))).as("world %s", streams.seed()).isEmpty();
                    }
                });
    }

    @Test
    void shouldRunAWorldTheSameWayEachTime() {
        for (long seed = 1; seed <= 100; seed++) {
            World first = new World(Scenarios.of(seed));
            World second = new World(Scenarios.of(seed));
            List<String> wrong = first.run();
            assertThat(second.run()).isEqualTo(wrong);
            assertThat(second.steps()).as("steps of world %d", seed).isEqualTo(first.steps());
        }
    }
}
