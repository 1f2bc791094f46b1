// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.transport.backend;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serial;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

class LogBudgetTest {
    private final List<String> lines = new ArrayList<>();
    private long now = Long.MAX_VALUE - 1; // it may overflow
    private final LogBudget budget = new LogBudget(new Lines(), () -> now);

    private final class Lines extends LegacyAbstractLogger {
        @Serial
        private static final long serialVersionUID = 1L;

        @Override
        protected @Nullable String getFullyQualifiedCallerName() {
            return null;
        }

        @Override
        protected void handleNormalizedLoggingCall(Level level, @Nullable Marker marker, String format,
                Object @Nullable [] values, @Nullable Throwable failure) {
            lines.add(level + " " + MessageFormatter.basicArrayFormat(format, values)
                    + (failure == null ? "" : " with " + failure));
        }

        @Override
        public boolean isTraceEnabled() {
            return false;
        }

        @Override
        public boolean isDebugEnabled() {
            return false;
        }

        @Override
        public boolean isInfoEnabled() {
            return false;
        }

        @Override
        public boolean isWarnEnabled() {
            return true;
        }

        @Override
        public boolean isErrorEnabled() {
            return true;
        }
    }

    @Test
    void shouldWriteSoManyAMinuteAndCountTheRest() {
        for (int i = 1; i <= 1_000; i++) {
            budget.warn("refused {} of {}", i, "them");
        }
        assertThat(lines).hasSize(LogBudget.LINES + 1).startsWith("WARN refused 1 of them");
        assertThat(lines.getLast()).isEqualTo("WARN These are 60 warnings in a minute: those of the next 61 s are only counted");
        lines.clear();
        now += TimeUnit.SECONDS.toNanos(59);
        budget.warn("refused");
        assertThat(lines).isEmpty();
        now += TimeUnit.SECONDS.toNanos(1);
        budget.warn("refused again");
        assertThat(lines).containsExactly("WARN 941 warnings of this logger were left out before this one", "WARN refused again");
        lines.clear();
        now += TimeUnit.HOURS.toNanos(1);
        budget.warn("refused at last", new IllegalStateException("why"));
        assertThat(lines).containsExactly("WARN refused at last with java.lang.IllegalStateException: why");
    }

    @Test
    void shouldShareABudgetAmongThoseWithOneLogger() {
        assertThat(LogBudget.of("io.reactivenetio.test")).isSameAs(LogBudget.of("io.reactivenetio.test"))
                .isNotSameAs(LogBudget.of(LogBudgetTest.class));
    }
}
