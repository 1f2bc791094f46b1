// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.peers;

import io.reactivenetio.benchmarks.Work;
import io.reactivenetio.benchmarks.Work.Mode;
import io.reactivenetio.benchmarks.Work.Waiting;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What a run found, as one page that needs nothing else, and as drawings of their own for other documents. */
final class Report {
    private static final double NANOS_PER_MICRO = 1e3;
    private static final double LEAST_MICROS = 1;
    private static final String HEAD = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>reactive-netio beside other libraries</title>
            <style>
              :root { color-scheme: light dark }
              body { max-width: 1100px; margin: 2rem auto; padding: 0 1rem; font: 18px/1.5 system-ui, sans-serif }
              svg { margin: 1rem 0 } pre { overflow-x: auto; font-size: 14px } dt { font-weight: 600 }
            </style>
            </head>
            <body>
            <h1>reactive-netio beside other libraries</h1>
            """;

    private final String machine;
    private final Map<String, String> settings = new LinkedHashMap<>();
    private final Map<String, String> charts = new LinkedHashMap<>();
    private final StringBuilder tables = new StringBuilder();

    Report(String machine) {
        this.machine = machine;
    }

    void add(Contender contender) {
        settings.put(contender.title(), contender.settings());
    }

    /** A table. */
    void add(String table) {
        tables.append("<pre>").append(Chart.escaped(table.strip())).append("</pre>\n");
    }

    void chart(String name, String svg) {
        charts.put(name, svg);
    }

    void add(Results results) {
        add(results.table());
        Work work = results.work();
        if (work.mode() == Mode.STREAM) {
            charts.put("throughput-" + work.size(), Chart.bars(work.size() + "-byte messages: million per second",
                    results.rows(figures -> List.of(figures.perSecond() / 1e6), "%.2f")));
            charts.put("cpu-" + work.size(), Chart.bars(work.size() + "-byte messages: CPU seconds per GB, both sides",
                    results.rows(figures -> List.of(figures.cpuNanos() / work.size()), "%.2f")));
        } else {
            String how = work.waiting() == Waiting.SPIN ? "spinning" : "asleep";
            charts.put("round-trip-" + work.inFlight() + "-" + how, Chart.dots(String.format(Locale.ROOT,
                    "%d bytes there and back, %d at once, %s: p50, p99, p99.9 in us", work.size(), work.inFlight(), how),
                    LEAST_MICROS, results.rows(figures -> List.of(figures.p50() / NANOS_PER_MICRO,
                            figures.p99() / NANOS_PER_MICRO, figures.p999() / NANOS_PER_MICRO), "%.0f, %.0f, %.0f")));
        }
    }

    /** All of it in one file. */
    void writePage(Path file) {
        StringBuilder page = new StringBuilder(HEAD);
        page.append("<p>").append(Chart.escaped(machine)).append("</p>\n");
        charts.values().forEach(page::append);
        page.append("<h2>All figures</h2>\n").append(tables).append("<h2>How each was set up</h2>\n<dl>\n");
        settings.forEach((title, how) -> page.append("<dt>").append(Chart.escaped(title)).append("</dt><dd>")
                .append(Chart.escaped(how)).append("</dd>\n"));
        write(file, page.append("</dl>\n</body>\n</html>\n").toString());
    }

    /** Each drawing in a file. */
    void writeCharts(Path folder) {
        charts.forEach((name, svg) -> write(folder.resolve("peers-" + name + ".svg"), svg));
    }

    private static void write(Path file, String text) {
        try {
            Path folder = file.toAbsolutePath().getParent();
            if (folder != null) {
                Files.createDirectories(folder);
            }
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }
}
