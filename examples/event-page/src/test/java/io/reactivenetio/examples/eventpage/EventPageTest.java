// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.examples.eventpage;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
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
                        "--events.brokers=127.0.0.1:1", "--page.names=other.example,daq.example")) {
            String address = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port");
            assertThat(client.send(HttpRequest.newBuilder(URI.create(address + "/")).build(), BodyHandlers.ofString()).body())
                    .contains("Events in Kafka");
            String sample = client.send(HttpRequest.newBuilder(URI.create(address + "/samples"))
                            .timeout(Duration.ofSeconds(60)).build(), BodyHandlers.ofLines()).body()
                    .filter(line -> line.contains("no broker")).findFirst().orElseThrow();
            int port = URI.create(address).getPort();
            assertThat(ask(port, "127.0.0.1:" + port)).isEqualTo("200");
            assertThat(ask(port, "localhost")).isEqualTo("200");
            assertThat(ask(port, "daq.example")).isEqualTo("200");
            assertThat(ask(port, "evil.example:" + port)).isEqualTo("403");
            assertThat(sample).startsWith("data:{").contains("no broker at 127.0.0.1:1", "\"complete\":0");
        }
    }

    /** The status of the page, asked for under this name. */
    private static String ask(int port, String host) throws IOException {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(60_000);
            socket.getOutputStream().write(("GET / HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes(12), StandardCharsets.US_ASCII).replace("HTTP/1.1 ", "");
        }
    }
}
