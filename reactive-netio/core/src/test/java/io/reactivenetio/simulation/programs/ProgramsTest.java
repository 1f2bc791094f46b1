// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.simulation.programs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.simulation.SimulatedSchedulers;
import io.reactivenetio.testing.TestSettings;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

    static Stream<Arguments> programsThatFailed() {
        Node oneOfFive = Node.of(Word.ANSWER, 400, 0, 1, 1, 5);
        return Stream.of(
                Arguments.of("a responder is refused in the turn in which the first request comes", 103_892,
                        Node.of(Word.PROGRAM).with(
                                Node.of(Word.RESPOND_ALL, 0, 50, 2).with(Node.of(Word.ANSWER, 400, 100, 0, 0, 2)),
                                Node.of(Word.PAUSE, 48_166, 0, 3_000_000), Node.of(Word.REQUEST, 82_017, 0, 0, 50, 40, 2_000))),
                Arguments.of("requests wait when this side shuts down", 39_823, Node.of(Word.PROGRAM).with(
                        Node.of(Word.RESPOND, 294, 0, 0, 51, 256).with(Node.of(Word.ANSWER, 3_072, 100, 0, 0, 5)),
                        Node.of(Word.REQUEST, 700, 0, 1, 51, 200, 40), Node.of(Word.SHUTDOWN, 1_704, 0))),
                Arguments.of("batches that are not whole leave messages for which nobody asks", 3_487, Node.of(Word.PROGRAM).with(
                        Node.of(Word.SEND, 1_317_935, 0, 0, 71, 0).with(Node.of(Word.SOURCE, 60, 400, 2, 0)),
                        Node.of(Word.RUN, 310_666, 4, 8, 0).with(Node.of(Word.RECEIVE, 0, 1, 71, 4)),
                        Node.of(Word.RESPOND, 2_490_267, 0, 1, 51, 1).with(Node.of(Word.ANSWER, 4, 0, 0, 0, 5)),
                        Node.of(Word.REQUEST, 7_619_253, 0, 0, 51, 3, 2_000))),
                Arguments.of("both sides ask behind a responder that has gone", 308_613, Node.of(Word.PROGRAM).with(
                        Node.of(Word.RESPOND, 323, 0, 0, 50, 1).with(oneOfFive), Node.of(Word.REQUEST, 1_304, 0, 1, 50, 40, 40),
                        Node.of(Word.REQUEST, 1_492, 0, 0, 50, 3, 40), Node.of(Word.STOP_RESPONDING, 1_067, 0, 0, 50))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("programsThatFailed")
    void shouldFindNothingWrongWithProgramsThatOnceFailed(String what, long seed, Node program) {
        assertThat(Programs.run(seed, program)).as(what).isEmpty();
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
