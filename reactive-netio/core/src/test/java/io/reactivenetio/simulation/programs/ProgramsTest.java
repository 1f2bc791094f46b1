// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.simulation.SimulatedSchedulers;
import io.reactivenetio.testing.TestSettings;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Programs of users, drawn at random, see CONTRIBUTING.md. {@code -Dnetio.test.programs=100000} runs more,
 * {@code -Dnetio.test.program=SEED} one alone; a program that fails is made small before it is reported.
 */
@Timeout(value = 24, unit = TimeUnit.HOURS)
class ProgramsTest {
    private static final long PROGRAMS = Long.getLong("netio.test.programs", TestSettings.scaled(1_000));
    private static final long FIRST = Long.getLong("netio.test.program", 1);

    @BeforeAll
    static void install() {
        SimulatedSchedulers.install();
    }

    @AfterAll
    static void uninstall() {
        SimulatedSchedulers.uninstall();
    }

    @Test
    void shouldFindNothingWrongWithAnyProgram() {
        long programs = System.getProperty("netio.test.program") == null ? PROGRAMS : 1;
        LongStream.range(FIRST, FIRST + programs).parallel().forEach(seed -> {
            Node program = Grammar.program(seed);
            String kind = Programs.kind(Programs.run(seed, program));
            if (!kind.isEmpty() && !kind.matches(Programs.KNOWN)) {
                throw new AssertionError(Programs.report(seed, program) + "as small as it gets: "
                        + Programs.report(seed, Programs.shrink(seed, program)));
            }
        });
    }

    @Test
    void shouldRunAProgramTheSameWayEachTime() {
        for (long seed = 1; seed <= 100; seed++) {
            ProgramWorld first = new ProgramWorld(seed, Grammar.program(seed));
            ProgramWorld second = new ProgramWorld(seed, Grammar.program(seed));
            assertThat(second.run()).isEqualTo(first.run());
            assertThat(second.machine.steps()).as("steps of program %d", seed).isEqualTo(first.machine.steps());
        }
    }

    /** What the reducer leaves of a program fails as the whole one does, and nothing can be left out of it. */
    @Test
    void shouldLeaveOutWhatDoesNotMatter() {
        Node program = Node.of(Word.PROGRAM).with(Node.of(Word.PUBLISH, 0, 1).with(Node.of(Word.SOURCE, 3, 8, 0, 0)),
                Node.of(Word.REBIND, 7), Node.of(Word.RUN, 9, 0, 1, 0)
                        .with(Node.of(Word.FLOW, 0, 0).with(Node.of(Word.TAG, 1), Node.of(Word.TAG, 9), Node.of(Word.TAKE, 3))));
        assertThat(program.smaller()).hasSize(6);
        assertThat(program.toString()).isEqualTo("""
                0 us: publisher.publish(1, source(3 messages of 8 bytes, at once, then onComplete))
                7 us: server.dispose(), and bindNow() at its port
                9 us: subscriber0.subscribe(1, 9).take(3).subscribe(asks for all)""");
    }
}
