// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.eventpage;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

@Timeout(120)
class EventPageTest {
    /** Without a broker the page says so, and goes on trying. */
    @Test
    void shouldShowThePageAndSayWhatIsWrong() throws Exception {
        try (HttpClient client = HttpClient.newHttpClient(); // closed last: it waits for the samples to end
                ConfigurableApplicationContext context = SpringApplication.run(EventPage.class, "--server.port=0",
                        "--events.brokers=127.0.0.1:1")) {
            String address = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port");
            assertThat(client.send(HttpRequest.newBuilder(URI.create(address + "/")).build(), BodyHandlers.ofString()).body())
                    .contains("Events in Kafka");
            String sample = client.send(HttpRequest.newBuilder(URI.create(address + "/samples"))
                            .timeout(Duration.ofSeconds(60)).build(), BodyHandlers.ofLines()).body()
                    .filter(line -> line.contains("no broker")).findFirst().orElseThrow();
            assertThat(sample).startsWith("data:{").contains("no broker at 127.0.0.1:1", "\"complete\":0");
        }
    }
}
