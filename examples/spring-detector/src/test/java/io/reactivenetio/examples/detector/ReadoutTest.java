// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.detector;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.api.ConnectionState.Status;
import io.reactivenetio.examples.detector.Throttle.Pace;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.http.HttpStatus;
import reactor.core.publisher.Flux;

/** What the application does, as its page is told. */
@Timeout(300)
class ReadoutTest {
    private static RunningApplication application;

    @BeforeAll
    static void start() {
        application = RunningApplication.start();
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    @BeforeEach
    void shouldRun() {
        application.post("detector/revive");
        application.post("consumers/readout/FAST");
        application.post("consumers/monitor/FAST");
        running();
    }

    private static long events(Sample sample) {
        return sample.events().complete();
    }

    private static long latencies(Sample sample) {
        return sample.latencies().stream().mapToLong(n -> n).sum();
    }

    private static long asked(Sample sample) {
        return sample.links().stream().mapToLong(Sample.Link::asked).sum();
    }

    private static long dropped(Sample sample) {
        return sample.consumers().getLast().dropped();
    }

    /** Waits for 300 events from now on. */
    private static Sample running() {
        Sample before = application.sample();
        return application.await("events", sample -> events(sample) > events(before) + 300);
    }

    private static boolean isFull(Sample sample) {
        return sample.links().stream().allMatch(link -> link.demand() == 0)
                && sample.links().stream().anyMatch(link -> link.waiting() == link.room());
    }

    @Test
    void shouldTellHowItGoes() {
        List<Sample> samples = application.samples().take(16).collectList().block(RunningApplication.PATIENCE);

        assertThat(samples).extracting(Sample::seconds).isSorted().doesNotHaveDuplicates();
        assertThat(samples.getLast().seconds() - samples.getFirst().seconds())
                .as("five in a second, so 15 after the first in 3 s, unless that is late").isGreaterThan(2);
        assertThat(samples).as("an event is counted before its latency")
                .allMatch(sample -> latencies(sample) <= events(sample));
        Sample last = samples.getLast();
        assertThat(last.links()).hasSize(8).allMatch(link -> link.received() > 0 && link.asked() >= link.received());
        assertThat(last.hits()).hasSize(8 * 64).anyMatch(hits -> hits > 10);
        assertThat(latencies(last)).isPositive();
        assertThat(last.sizes()).hasSize(30).anyMatch(n -> n > 10);
        assertThat(last.consumers()).extracting(Sample.Consumer::name).containsExactly("readout", "monitor");
        assertThat(last.consumers()).allMatch(consumer -> consumer.status() == Status.CONNECTED && consumer.credits() == 32
                && consumer.received() > 0 && consumer.reason() == null);
        assertThat(last.journal()).extracting(Journal.Line::text)
                .anyMatch(text -> text.startsWith("the readout is connected with"));
    }

    @Test
    void shouldHoldTheDetectorBackWhenTheReadoutIsSlow() {
        Sample before = application.sample();
        application.post("consumers/readout/SLOW");
        application.await("full FIFOs", sample -> sample.source().vetoed() > before.source().vetoed() + 100);
        assertThat(application.rate(ReadoutTest::events)).as("of a thousand").isBetween(5.0, 400.0);
        assertThat(application.rate(ReadoutTest::asked)).as("of eight thousand").isBetween(40.0, 4_000.0);

        application.post("consumers/readout/FAST");
        Sample after = running();
        assertThat(after.consumers().getFirst().dropped() + after.consumers().getFirst().missed()).as("lost for the readout")
                .isEqualTo(before.consumers().getFirst().missed());
        assertThat(after.events().incomplete()).isEqualTo(before.events().incomplete());
    }

    @Test
    void shouldStopTheDetectorWhenTheReadoutStalls() {
        application.post("consumers/readout/STALLED");
        Sample[] since = new Sample[1];
        Sample full = application.await("full FIFOs and no demand for half a second", sample -> {
            Sample first = since[0]; // what is on its way may still arrive, and samples come together after a pause
            if (first != null && isFull(first) && isFull(sample) && events(first) == events(sample)
                    && asked(first) == asked(sample) && first.source().events() == sample.source().events()) {
                return sample.seconds() - first.seconds() > 0.5;
            }
            since[0] = sample;
            return false;
        });
        Sample later = application.await("triggers", sample -> sample.source().vetoed() > full.source().vetoed() + 50);
        assertThat(asked(later)).isEqualTo(asked(full));
        assertThat(events(later)).isEqualTo(events(full));
        assertThat(later.source().events()).isEqualTo(full.source().events());
        assertThat(later.consumers().getFirst().pace()).isEqualTo(Pace.STALLED);

        application.post("consumers/readout/FAST");
        assertThat(running().events().incomplete()).isEqualTo(full.events().incomplete());
    }

    @Test
    void shouldDropForTheMonitorAndNobodyElse() {
        application.post("consumers/monitor/STALLED");
        Sample before = application.sample();
        application.await("dropped", sample -> dropped(sample) > dropped(before));
        running();
        application.post("consumers/monitor/SLOW");
        Sample slow = application.await("dropped", sample -> dropped(sample) > dropped(before) + 1_000);
        assertThat(slow.consumers().getFirst().dropped()).isZero();
        running();
    }

    @Test
    void shouldLoseItsConnectionsAndGoOnWhenTheDetectorIsBack() {
        for (int life = 0; life < 3; life++) {
            Sample before = running();
            application.post("detector/kill");
            application.post("detector/kill"); // which changes nothing
            application.await("lost", sample -> !sample.source().alive() && sample.consumers().stream()
                    .noneMatch(consumer -> consumer.status() == Status.CONNECTED)
                    && sample.journal().stream().map(Journal.Line::text).anyMatch(text ->
                            text.startsWith("the readout is not connected: ") && text.contains("closed by the peer")));
            application.await("a reason", sample -> sample.consumers().stream()
                    .allMatch(consumer -> consumer.reason() != null && consumer.reason().contains("nobody listens")));
            application.post("detector/revive");
            application.post("detector/revive");
            running();
            Sample back = application.await("both are back", sample -> sample.consumers().stream()
                    .allMatch(consumer -> consumer.status() == Status.CONNECTED));
            assertThat(back.consumers().getFirst().connected()).isEqualTo(before.consumers().getFirst().connected() + 1);
            assertThat(back.source().events()).isGreaterThan(before.source().events());
        }
    }

    @Test
    void shouldGiveUpEventsWhoseFragmentsWereLostWithTheConnection() {
        application.post("detector/kill");
        application.await("nothing begun", sample -> sample.events().open() == 0);
        Sample before = application.sample();
        application.post("detector/revive");
        Sample after = running();
        long strays = after.events().strays();
        assertThat(strays - before.events().strays()).as("fragments that the publisher has kept, of events that are given up")
                .isBetween(0L, Fragment.LINKS * (SimulatedDetector.QUEUE + 1L));
        assertThat(running().events().strays()).as("they come before all others").isEqualTo(strays);
        assertThat(after.consumers().getFirst().missed()).isGreaterThanOrEqualTo(before.consumers().getFirst().missed());
    }

    @Test
    void shouldRefuseWhatIsNotThere() {
        assertThat(application.post("consumers/readout/FASTER")).isEqualTo(HttpStatus.BAD_REQUEST);
        assertThat(application.post("consumers/other/FAST")).isEqualTo(HttpStatus.NOT_FOUND);
        assertThat(application.post("detector/pet")).isEqualTo(HttpStatus.NOT_FOUND);
    }

    @Test
    void shouldServeManyBrowsersWithOneSampler() {
        List<Long> each = Flux.range(0, 40).flatMap(browser -> application.samples().take(5).count(), 40)
                .collectList().block(RunningApplication.PATIENCE);
        assertThat(each).hasSize(40).containsOnly(5L);
    }

    @Test
    void shouldNotWaitForABrowserThatDoesNotRead() throws Exception {
        try (Socket socket = new Socket("127.0.0.1", application.uri().getPort())) {
            socket.getOutputStream().write("GET /samples HTTP/1.1\r\nHost: localhost\r\n\r\n"
                    .getBytes(StandardCharsets.US_ASCII));
            assertThat(application.samples().take(10).timeout(RunningApplication.PATIENCE).count().block()).isEqualTo(10);
        }
    }

    @Test
    void shouldAnswerItsOwnPageOnly() throws IOException {
        int port = application.uri().getPort();
        String own = "Host: 127.0.0.1:" + port;
        String kill = "POST /detector/kill";
        for (List<String> foreign : List.of(List.of("Host: evil.example"), List.of("Host: evil.example:" + port),
                List.of("Host: localhost.evil.example:" + port), List.of("Host: "), List.of("Host: 127.0.0.1.evil.example"),
                List.of(own, "Host: evil.example"), List.of(own, "Origin: http://evil.example"), List.of(own, "Origin: null"),
                List.of(own, "Origin: http://127.0.0.1:" + (port + 1)), List.of(own, "Sec-Fetch-Site: cross-site"),
                List.of(own, "Sec-Fetch-Site: same-site"))) {
            assertThat(ask(port, kill, foreign)).as("%s", foreign).isEqualTo("403");
        }
        assertThat(ask(port, "GET /samples", List.of("Host: evil.example:" + port))).isEqualTo("403");
        assertThat(ask(port, "GET /", List.of("Host: evil.example"))).isEqualTo("403");
        assertThat(application.sample().source().alive()).isTrue();

        for (List<String> its : List.of(List.of(own), List.of("Host: localhost:" + port), List.of("Host: LOCALHOST"),
                List.of("Host: [::1]:" + port), List.of(own, "Sec-Fetch-Site: none"),
                List.of(own, "Origin: http://127.0.0.1:" + port, "Sec-Fetch-Site: same-origin"))) {
            assertThat(ask(port, "POST /consumers/monitor/FAST", its)).as("%s", its).isEqualTo("204");
        }
    }

    /** The status that the page answers with: clients of HTTP do not let a test choose these headers. */
    private static String ask(int port, String request, List<String> headers) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write((request + " HTTP/1.1\r\n" + String.join("\r\n", headers)
                    + "\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII).replace("HTTP/1.1 ", "");
        }
    }
}
