// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.examples.Netio;
import io.reactivenetio.examples.TestJvm;
import io.reactivenetio.testing.AtFullScale;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The conformance kit passes the Java end, and fails ends that are broken. */
@Timeout(240)
class ConformanceTest {
    private static final String COMPLETE = "stream listening, sending: complete";
    /** Every so many of the cases: all of them take more than a minute. */
    private static final int SHARE = 8;

    private static List<Outcome> run(Supplier<? extends End> ends, List<Case> cases) throws InterruptedException {
        List<Outcome> outcomes = new ArrayList<>();
        try (Kit kit = new Kit(ends)) {
            boolean good = kit.run(cases, next -> { }, outcomes::add);
            assertThat(good).isEqualTo(outcomes.stream().noneMatch(outcome -> outcome.result() == Outcome.Result.FAILED));
            assertThat(kit.quit()).isEmpty();
        }
        return outcomes;
    }

    private static Outcome only(Supplier<? extends End> ends, String name) throws InterruptedException {
        List<Outcome> outcomes = run(ends, Kit.cases(name::equals));
        assertThat(outcomes).hasSize(1);
        return outcomes.getFirst();
    }

    private static Supplier<ProcessEnd> shell(String script) {
        return () -> ProcessEnd.start(List.of("sh", "-c", script));
    }

    @Test
    void shouldPassWithTheJavaEndInThisProcess() throws Exception {
        List<Case> all = Kit.cases(name -> !name.contains("64 MiB"));
        List<Case> share = IntStream.range(0, all.size()).filter(i -> i % SHARE == 0).mapToObj(all::get).toList();

        List<Outcome> outcomes = run(() -> new LocalEnd("the other Java end"), share);

        assertThat(outcomes).hasSameSizeAs(share).noneMatch(outcome -> outcome.result() == Outcome.Result.FAILED);
        assertThat(outcomes).filteredOn(outcome -> outcome.result() == Outcome.Result.NOT_OFFERED).hasSizeLessThan(2);
    }

    @Test
    void shouldHaveCasesWithNamesOfTheirOwn() {
        assertThat(Kit.cases(name -> true)).extracting(Case::name).doesNotHaveDuplicates().hasSizeGreaterThan(300);
    }

    @AtFullScale
    @Test
    void shouldPassWithTheJavaEndAsAProgram() throws Exception {
        List<String> command = new ArrayList<>(TestJvm.command(List.of()));
        command.addAll(List.of(Netio.class.getName(), "conformance-end"));

        List<String> few = List.of(COMPLETE, "tags listening, publishing: policy oldest",
                "requests connecting, requesting: large", "hostile stream listening: an unknown frame that is critical");

        List<Outcome> outcomes = run(() -> ProcessEnd.start(command), Kit.cases(few::contains));

        assertThat(outcomes).hasSize(4).allMatch(outcome -> outcome.result() == Outcome.Result.PASSED);
    }

    @Test
    void shouldFailAnEndThatLosesAMessage() throws Exception {
        Outcome outcome = only(() -> new LocalEnd("a careless end") {
            @Override
            void write(Line command) {
                boolean sends = command.head().equals("send");
                super.write(sends ? command.with("count", command.number("count") - 1) : command);
            }
        }, COMPLETE);

        assertThat(outcome.result()).isEqualTo(Outcome.Result.FAILED);
        assertThat(outcome.reason()).contains("count=2000", "count=1999");
    }

    @Test
    void shouldFailAnEndThatChangesAMessage() throws Exception {
        Outcome outcome = only(() -> new LocalEnd("a careless end") {
            @Override
            void write(Line command) {
                super.write(command.head().equals("send") ? command.with("status", 3) : command);
            }
        }, COMPLETE);

        assertThat(outcome.result()).isEqualTo(Outcome.Result.FAILED);
        assertThat(outcome.reason()).contains("should have been");
    }

    @Test
    void shouldFailAnEndThatDiesAndStartAnotherForTheNextCase() throws Exception {
        AtomicInteger started = new AtomicInteger();
        Supplier<ProcessEnd> dying = shell("read l; echo 'ok name=x framings=stream roles=listen,send,receive'; read l; echo ok;"
                + " read l; echo 'cannot listen' >&2; exit 3");

        List<Outcome> outcomes = run(() -> {
            started.incrementAndGet();
            return dying.get();
        }, Kit.cases(name -> name.equals(COMPLETE) || name.equals("stream listening, sending: demand is exact")));

        assertThat(started).hasValue(2);
        assertThat(outcomes).hasSize(2).allSatisfy(outcome -> {
            assertThat(outcome.result()).isEqualTo(Outcome.Result.FAILED);
            assertThat(outcome.reason()).contains("has ended with code 3", "cannot listen");
        });
    }

    @Test
    void shouldListWhatIsNotOffered() throws Exception {
        Outcome outcome = only(shell("read l; echo 'ok name=x framings=raw roles=listen'; read l; echo ok"), COMPLETE);

        assertThat(outcome.result()).isEqualTo(Outcome.Result.NOT_OFFERED);
        assertThat(outcome.reason()).isEqualTo("stream, send");
    }

    @Test
    void shouldReadAndWriteLines() {
        Line line = Line.parse("event closed c=1 code=7 text=it shuts down = now");

        assertThat(line.head()).isEqualTo("event closed");
        assertThat(line.number("c")).isEqualTo(1);
        assertThat(line.get("text")).isEqualTo("it shuts down = now");
        assertThat(line).hasToString("event closed c=1 code=7 text=it shuts down = now");
        assertThat(Line.of("ok").text("a\nb").with("c", 2)).hasToString("ok c=2 text=a b");
    }

    /** The figures of the example in docs/conformance.md. */
    @Test
    void shouldCountAsTheDocumentDoes() {
        assertThat(Digest.of(1, 5, 7, 1).in(Line.of("ok"))).hasToString("ok count=1 bytes=5 crc=65ca6b18 last=65ca6b18");
        assertThat(Digest.of(3, 5, 7, 1).in(Line.of("ok"))).hasToString("ok count=3 bytes=15 crc=6efc5f01 last=1379be9a");
        assertThat(new Digest().in(Line.of("ok"))).hasToString("ok count=0 bytes=0 crc=00000000 last=00000000");
    }

    @Test
    void shouldMakePayloadsByTheRule() {
        byte[] payload = Digest.payload(40, 200_000).array();
        for (int i = 0; i < payload.length; i++) {
            assertThat(payload[i]).isEqualTo((byte) ((7 * 40 + i) % 251));
        }
    }
}
