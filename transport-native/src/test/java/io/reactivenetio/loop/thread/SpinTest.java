// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How long a loop looks for work before it sleeps. */
class SpinTest {
    private static final long MOST = 1_000_000;
    private static final long SHORT = Spin.FIRST_WAKE_UP_NANOS / 4;
    private static final long LONG = 1_000_000_000;

    private static void gaps(Spin spin, int number, long nanos) {
        IntStream.range(0, number).forEach(i -> spin.worked(nanos, nanos, false));
    }

    @Test
    void shouldNotSpinUnlessToldTo() {
        Spin spin = new Spin(0, 0, 0);
        gaps(spin, 100, 0);
        assertThat(spin.nanos()).isZero();
    }

    @Test
    void shouldSpinForAFixedTimeWhateverComes() {
        Spin spin = new Spin(50, 0, 0);
        assertThat(spin.nanos()).isEqualTo(50);
        gaps(spin, 100, LONG);
        assertThat(spin.nanos()).isEqualTo(50);
    }

    @Test
    void shouldSpinWhileWorkComesSoonAndSleepWhenItDoesNot() {
        Spin spin = new Spin(0, MOST, 0);
        assertThat(spin.nanos()).as("before anything has come").isZero();
        gaps(spin, 100, LONG);
        assertThat(spin.nanos()).as("after long gaps").isZero();
        gaps(spin, 40, SHORT);
        assertThat(spin.nanos()).as("after short gaps").isEqualTo(MOST);
        gaps(spin, 1, LONG);
        assertThat(spin.nanos()).as("after one long gap").isZero();
        gaps(spin, 20, SHORT);
        assertThat(spin.nanos()).as("after short gaps again").isEqualTo(MOST);
    }

    @Test
    void shouldSpinAtLeastForTheFixedTimeWhereBothAreSet() {
        Spin spin = new Spin(50, MOST, 0);
        assertThat(spin.nanos()).isEqualTo(50);
        gaps(spin, 100, SHORT);
        assertThat(spin.nanos()).isEqualTo(MOST);
    }

    @Test
    void shouldSpinForTasksOfOtherThreads() {
        Spin spin = new Spin(0, 0, SHORT);
        gaps(spin, 100, SHORT / 2);
        assertThat(spin.nanos()).as("for work from the network").isZero();
        IntStream.range(0, 40).forEach(i -> spin.worked(SHORT / 2, SHORT / 2, true));
        assertThat(spin.nanos()).as("after tasks").isEqualTo(SHORT);
        gaps(spin, 1, LONG);
        assertThat(spin.nanos()).as("after one message").isEqualTo(SHORT);
        IntStream.range(0, 40).forEach(i -> spin.worked(SHORT / 4, SHORT / 4, i % 2 == 0));
        assertThat(spin.nanos()).as("where each task is followed by a message").isZero();
    }

    @Test
    void shouldSleepWhereOthersNeedItsCpu() {
        Spin spin = new Spin(0, MOST, 0);
        gaps(spin, 100, SHORT);
        spin.lookedInVain(1_000);
        assertThat(spin.nanos()).isEqualTo(MOST);
        spin.lookedInVain(2_000_000);
        assertThat(spin.nanos()).isZero();
        gaps(spin, 10, SHORT);
        assertThat(spin.nanos()).isZero();
        gaps(spin, 30, SHORT);
        assertThat(spin.nanos()).isEqualTo(MOST);
    }

    @Test
    void shouldNotSpinForWhatComesLaterThanItMaySpin() {
        Spin spin = new Spin(0, SHORT / 2, 0);
        gaps(spin, 100, SHORT);
        assertThat(spin.nanos()).isZero();
        gaps(spin, 100, SHORT / 4);
        assertThat(spin.nanos()).isEqualTo(SHORT / 2);
    }

    @Test
    void shouldGoByWhatAWakeUpTakesHere() {
        long gap = Spin.FIRST_WAKE_UP_NANOS * 3;
        Spin spin = new Spin(0, MOST, 0);
        gaps(spin, 100, gap);
        assertThat(spin.nanos()).as("where wake-ups take less").isZero();
        IntStream.range(0, 100).forEach(i -> spin.wokenUp(gap));
        assertThat(spin.nanos()).as("where they take as long").isEqualTo(MOST);
        IntStream.range(0, 100).forEach(i -> spin.wokenUp(LONG)); // no CPU was free
        gaps(spin, 100, 3 * Spin.LONGEST_WAKE_UP_NANOS);
        assertThat(spin.nanos()).as("where the machine is busy").isZero();
    }

    /** Else two ends that sleep would see nothing but each other's wake-ups, and never begin to spin. */
    @Test
    void shouldNotTakeItsOwnWakeUpForAGap() {
        Spin spin = new Spin(0, MOST, 0);
        long peer = Spin.FIRST_WAKE_UP_NANOS + SHORT;
        IntStream.range(0, 100).forEach(i -> spin.worked(peer + Spin.FIRST_WAKE_UP_NANOS, 0, false));
        assertThat(spin.nanos()).isEqualTo(MOST);
    }

    /** What comes just after it has gone to sleep, time and again, because only then somebody else has a CPU. */
    @Test
    void shouldNotSpinInVainAgainAndAgain() {
        long most = Spin.FIRST_WAKE_UP_NANOS;
        Spin spin = new Spin(0, most, 0);
        gaps(spin, 100, SHORT);
        assertThat(spin.nanos()).isEqualTo(most);
        long justAfter = most + 1_000;
        long spins = IntStream.range(0, 1_000).filter(i -> {
            long awake = spin.nanos();
            spin.worked(justAfter + Spin.FIRST_WAKE_UP_NANOS, awake, false);
            return awake > 0;
        }).count();
        assertThat(spins).as("times that it spun, of 1,000").isLessThan(50);
    }
}
