// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.ByteArrayResource;

/** The recipes of docs/production.md: they are YAML, and name what is there. */
class ProductionPageTest {
    private static final Path DOCS = Path.of("../../docs");
    private static final Pattern METER = Pattern.compile("\\| `(netio\\.[a-z.]+)` \\| (counter|gauge|timer) \\| ?([a-z]*) ?\\|");

    private static String page(String name) throws IOException {
        return Files.readString(DOCS.resolve(name));
    }

    private static PropertySource<?> yaml(String file) throws IOException {
        Matcher block = Pattern.compile("```yaml\n# " + Pattern.quote(file) + "\n(.*?)```", Pattern.DOTALL)
                .matcher(page("production.md"));
        assertThat(block.find()).as(file).isTrue();
        List<PropertySource<?>> sources = new YamlPropertySourceLoader().load(file,
                new ByteArrayResource(block.group(1).getBytes(StandardCharsets.UTF_8)));
        assertThat(sources).hasSize(1);
        return sources.getFirst();
    }

    @Test
    void shouldProbeWhatIsThere() throws IOException {
        PropertySource<?> settings = yaml("application.yaml");
        assertThat(settings.getProperty("management.endpoint.health.group.liveness.include")).isEqualTo("livenessState");
        assertThat(settings.getProperty("management.endpoint.health.group.readiness.include"))
                .isEqualTo("readinessState,netio");
        PropertySource<?> deployment = yaml("deployment.yaml");
        String container = "spec.template.spec.containers[0].";
        assertThat(deployment.getProperty(container + "livenessProbe.httpGet.path")).isEqualTo("/actuator/health/liveness");
        assertThat(deployment.getProperty(container + "readinessProbe.httpGet.path")).isEqualTo("/actuator/health/readiness");
        assertThat(deployment.getProperty(container + "ports[0].containerPort"))
                .isEqualTo(settings.getProperty("management.server.port"));
        assertThat(yaml("networkpolicy.yaml").getProperty("kind")).isEqualTo("NetworkPolicy");
    }

    /** Those of the guide's table and of listeners, as Micrometer names them for Prometheus: with units, counters as totals. */
    @Test
    void shouldWatchMetersThatThereAre() throws IOException {
        Set<String> known = new HashSet<>();
        Matcher row = METER.matcher(page("guide.md"));
        while (row.find()) {
            String name = row.group(1).replace('.', '_');
            String unit = row.group(3);
            name = unit.isEmpty() || name.endsWith("_" + unit) ? name : name + "_" + unit;
            known.add(row.group(2).equals("counter") ? name + "_total" : name);
        }
        assertThat(known).hasSizeGreaterThan(30);
        assertThat(page("spring.md")).contains("`netio.listener.behind`", "`netio.listener.failed`");
        known.add("netio_listener_behind_seconds");
        known.add("netio_listener_failed_messages_total");
        PropertySource<?> alerts = yaml("alerts.yaml");
        int rules = 0;
        while (alerts.getProperty("groups[0].rules[" + rules + "].expr") instanceof String expression) {
            Matcher meter = Pattern.compile("netio_[a-z_]+").matcher(expression);
            assertThat(meter.find()).as(expression).isTrue();
            assertThat(known).contains(meter.group());
            rules++;
        }
        assertThat(rules).isEqualTo(10);
    }
}
