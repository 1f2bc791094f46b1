// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivenetio.NetioClient;
import io.reactivenetio.api.NetioConnection;
import io.reactivenetio.spring.kafka.NetioKafkaProperties;
import io.reactivenetio.spring.page.Greeting;
import io.reactivenetio.spring.page.Readings;
import io.reactivenetio.testing.Eventually;
import io.reactivenetio.testing.TestSettings;
import io.reactivenetio.transport.BackendType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.io.ByteArrayResource;
import reactor.core.publisher.Flux;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What docs/spring.md shows is compiled here, and names the properties that there are. */
@Timeout(300)
class SpringPageTest {
    private static final Pattern JAVA = Pattern.compile("```java\n(?!// \\S+/)(.*?)\n```", Pattern.DOTALL);
    private static final Pattern YAML = Pattern.compile("```yaml\n(?!# \\S+/)(.*?)\n```", Pattern.DOTALL);
    private static final Pattern ROW = Pattern.compile("(?m)^\\| (`[^|]*`) \\|");

    private static final ConfigurationPropertyName KAFKA = ConfigurationPropertyName.of("netio.kafka");

    private static String page() throws IOException {
        return Files.readString(Path.of("../../docs/spring.md"));
    }

    @Test
    void shouldShowWhatIsCompiledHereAndNothingElse() throws IOException {
        List<String> compiled = new ArrayList<>();
        for (String file : new String[] {"Readings", "Greeting", "Topics", "HighVoltage"}) {
            String source = Files.readString(Path.of("src/test/java/io/reactivenetio/spring/page", file + ".java"));
            List<String> parts = Arrays.asList(source.split("    // page( end)?\n"));
            for (int i = 1; i < parts.size(); i += 2) {
                compiled.add(parts.get(i).lines().map(line -> line.startsWith("    ") ? line.substring(4) : line)
                        .map(line -> line.replaceFirst("^static ", "")).collect(Collectors.joining("\n")));
            }
        }
        assertThat(JAVA.matcher(page()).results().map(block -> block.group(1))).containsExactlyInAnyOrderElementsOf(compiled);
    }

    @Test
    void shouldShowPropertiesThatAreThere() throws IOException {
        List<String> snippets = YAML.matcher(page()).results().map(block -> block.group(1)).toList();
        assertThat(snippets).hasSizeGreaterThan(1);
        for (String yaml : snippets) {
            MutablePropertySources sources = new MutablePropertySources();
            new YamlPropertySourceLoader().load("page", new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8)))
                    .forEach(sources::addLast);
            Iterable<ConfigurationPropertySource> all = ConfigurationPropertySources.from(sources);
            BindHandler strict = new NoUnboundElementsBindHandler(BindHandler.DEFAULT, source -> true);
            NetioKafkaProperties kafka = new Binder(all).bindOrCreate("netio.kafka", Bindable.of(NetioKafkaProperties.class),
                    strict);
            List<ConfigurationPropertySource> others = StreamSupport.stream(all.spliterator(), false)
                    .map(source -> source.filter(name -> !KAFKA.isAncestorOf(name))).toList();
            NetioProperties bound = new Binder(others).bindOrCreate("netio", Bindable.of(NetioProperties.class), strict);
            assertThat(bound.server().port() != null || !bound.clients().isEmpty() || !kafka.sinks().isEmpty()).isTrue();
        }
    }

    @Test
    void shouldListEveryPropertyAndNoOther() throws IOException {
        Set<String> listed = new TreeSet<>();
        ROW.matcher(page()).results().forEach(row -> {
            for (String name : row.group(1).split(", ")) {
                String plain = name.replace("`", "");
                if (plain.startsWith("netio.")) {
                    listed.add(plain);
                } else if (plain.matches("[a-z.-]+")) {
                    listed.add("netio.server." + plain);
                    listed.add("netio.clients.<name>." + plain);
                }
            }
        });
        Set<String> there = new TreeSet<>();
        JsonNode metadata = JsonMapper.shared().readTree(Files.readString(
                Path.of("target/classes/META-INF/spring-configuration-metadata.json")));
        for (JsonNode property : metadata.get("properties")) {
            there.add(property.get("name").asString());
            assertThat(property.has("description")).as(property.toString()).isTrue();
        }
        there.remove("netio.clients");
        there.removeIf(name -> !name.startsWith("netio."));
        there.removeAll(Set.of("netio.kafka.sinks", "netio.kafka.sources"));
        addComponents("netio.clients.<name>.", NetioClientProperties.class, there);
        addComponents("netio.kafka.sinks.<name>.", NetioKafkaProperties.Sink.class, there);
        addComponents("netio.kafka.sources.<name>.", NetioKafkaProperties.Source.class, there);
        assertThat(listed).isEqualTo(there);
    }

    private static void addComponents(String prefix, Class<?> type, Set<String> names) {
        for (var component : type.getRecordComponents()) {
            String name = prefix + component.getName().replaceAll("([A-Z])", "-$1").toLowerCase();
            if (component.getType().isRecord()) {
                addComponents(name + ".", component.getType(), names);
            } else {
                names.add(name);
            }
        }
    }

    @Test
    void shouldReadAsThePageSays() {
        ApplicationContextRunner runner = Contexts.tcp().withUserConfiguration(Readings.class).withBean("hits", Flux.class,
                () -> Flux.range(0, 1_000).map(n -> ByteBuffer.allocate(8)));
        runner.withPropertyValues("netio.server.port=0", "netio.clients.detector.port=1").run(server ->
                runner.withPropertyValues("netio.clients.detector.port="
                        + server.getEnvironment().getProperty("local.netio.port")).run(client -> {
                            Eventually.await("all bytes", () -> Readings.bytes(client) >= 8_000);
                        }));
    }

    @Test
    void shouldGreetAsThePageSays() {
        Contexts.tcp().withUserConfiguration(Greeting.class).withPropertyValues("netio.server.port=0").run(server -> {
            int port = server.getEnvironment().getRequiredProperty("local.netio.port", Integer.class);
            assertThat(NetioClient.create().backend(BackendType.TCP).port(port).connect().flatMapMany(NetioConnection::receive)
                    .map(message -> StandardCharsets.UTF_8.decode(message).toString()).collectList()
                    .block(TestSettings.PATIENCE)).containsExactly("hello");
        });
    }
}
