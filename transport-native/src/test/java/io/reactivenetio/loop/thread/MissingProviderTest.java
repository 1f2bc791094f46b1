// SPDX-License-Identifier: Apache-2.0
package io.reactivenetio.loop.thread;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLoggerFactory;

class MissingProviderTest {
    @Test
    void shouldSpeakOnlyWhereNothingIsLoggedAndNobodyChoseThat() {
        assertThat(MissingProvider.hint(new NOPLoggerFactory(), false)).isEqualTo(MissingProvider.HINT).contains("slf4j-simple");
        assertThat(MissingProvider.hint(new NOPLoggerFactory(), true)).isNull();
        assertThat(MissingProvider.hint(LoggerFactory.getILoggerFactory(), false)).isNull();
    }
}
