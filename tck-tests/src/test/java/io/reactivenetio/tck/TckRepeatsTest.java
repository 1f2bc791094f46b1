// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectPackage;
import static org.junit.platform.launcher.EngineFilter.includeEngines;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestExecutionResult.Status;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole TCK again and again in one JVM: what fails once in a while must not. {@code ./mvnw verify -pl tck-tests -am
 * -Dtest=TckRepeatsTest -Dsurefire.failIfNoSpecifiedTests=false -DfailIfNoTests=false -Dtck.repeats=20}; a round takes a minute
 * or two.
 */
@EnabledIfSystemProperty(named = "tck.repeats", matches = "\\d+", disabledReason = "the TCK again and again: -Dtck.repeats=20")
class TckRepeatsTest {
    private static final Logger LOG = LoggerFactory.getLogger(TckRepeatsTest.class);

    /** Names of tests that TestNG did not run to their end: what cannot be tested, or is of multicast publishers. */
    private final Set<String> skipped = new TreeSet<>();

    @Test
    void shouldPassEveryTime() {
        int repeats = Integer.getInteger("tck.repeats");
        Set<Long> passed = new HashSet<>();
        List<String> failures = new ArrayList<>();
        for (int round = 1; round <= repeats; round++) {
            TestExecutionSummary summary = run();
            LOG.warn("TCK round {} of {}: {} passed, {} failed, {} skipped, in {} s", round, repeats,
                    summary.getTestsSucceededCount(), summary.getTotalFailureCount(),
                    summary.getTestsSkippedCount() + summary.getTestsAbortedCount(),
                    (summary.getTimeFinished() - summary.getTimeStarted()) / 1_000);
            passed.add(summary.getTestsSucceededCount());
            if (summary.getTotalFailureCount() > 0) {
                failures.add("round " + round + text(summary));
                LOG.error("{}", failures.getLast());
            }
        }
        assertThat(failures).isEmpty();
        assertThat(skipped).allMatch(name -> name.startsWith("untested_") || name.startsWith("optional_spec111_"));
        assertThat(passed).as("as many each time").hasSize(1).doesNotContain(0L);
    }

    private TestExecutionSummary run() {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectPackage(TckRepeatsTest.class.getPackageName()))
                .filters(includeClassNamePatterns(".*TckTest"), includeEngines("testng"))
                .build();
        SummaryGeneratingListener listener = new SummaryGeneratingListener();
        LauncherFactory.create().execute(request, listener, new TestExecutionListener() {
            @Override
            public void executionSkipped(TestIdentifier test, String reason) {
                skipped.add(name(test));
            }

            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (result.getStatus() == Status.ABORTED) {
                    skipped.add(name(test));
                }
            }
        });
        return listener.getSummary();
    }

    private static String name(TestIdentifier test) {
        return test.getSource().orElse(null) instanceof MethodSource method ? method.getMethodName() : test.getDisplayName();
    }

    private static String text(TestExecutionSummary summary) {
        StringWriter text = new StringWriter();
        summary.printFailuresTo(new PrintWriter(text));
        return text.toString();
    }
}
